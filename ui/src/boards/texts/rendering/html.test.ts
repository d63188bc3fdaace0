import { describe, expect, test } from 'vitest'
import { htmlOf, PLAIN_TAGS } from './html'

const ALLOWED_TAG = new RegExp(
  `</?(?:${[...PLAIN_TAGS].join('|')})>|</a>|<a(?: href="(?:https?|mailto):[^"<>]*" target="_blank" rel="noopener noreferrer")?>|` +
    '<img src="data:image/(?:png|jpeg|gif|webp);base64,[^"<>]*" alt="[^"<>]*">|<t[dh] align="(?:left|center|right)">|<ol start="\\d+">|<code class="language-[^"<>]*">',
  'g',
)

/** Where a tag stands that is none of the harmless ones. */
const dangers = (html: string): string => /<.*/s.exec(html.replace(ALLOWED_TAG, ''))?.[0] ?? ''

describe('Markdown', () => {
  test('is drawn with its headings, emphasis, lists, code and tables', () => {
    const html = htmlOf('# Title\n\n**bold** and `code`\n\n- one\n- two\n\n| a | b |\n|---|--:|\n| 1 | 2 |')

    for (const part of [
      '<h1>Title</h1>',
      '<strong>bold</strong>',
      '<code>code</code>',
      '<li>two</li>',
      '<td>1</td>',
      '<td align="right">2</td>',
    ])
      expect(html).toContain(part)
    expect(dangers(html)).toBe('')
  })

  test('keeps line breaks, and simple tags written by hand', () => {
    expect(htmlOf('one\ntwo<br/>three <b class="x" onclick="alert(1)">four</b>')).toBe(
      '<p>one<br>\ntwo<br>three <b>four</b></p>\n',
    )
  })

  test('shows other tags as text', () => {
    expect(htmlOf('日本語 <script>alert(1)</script>')).toBe(
      '<p>日本語 &lt;script&gt;alert(1)&lt;/script&gt;</p>\n',
    )
    expect(htmlOf('<iframe src="http://x"></iframe>')).toContain('&lt;iframe src=&quot;http://x&quot;&gt;')
  })

  test('opens links elsewhere, and gives away nothing', () => {
    expect(htmlOf('[paper](https://example.org/a?b=c)')).toBe(
      '<p><a href="https://example.org/a?b=c" target="_blank" rel="noopener noreferrer">paper</a></p>\n',
    )
  })

  test('loads no pictures but those that it brings along', () => {
    const dot = 'data:image/png;base64,iVBORw0KGgo='

    expect(htmlOf(`![dot](${dot})`)).toContain(`<img src="${dot}" alt="dot">`)
    expect(htmlOf('![far](https://example.org/x.png)')).toContain(
      '<a href="https://example.org/x.png" target="_blank" rel="noopener noreferrer">far</a>',
    )
    for (const text of [
      '![near](/v1/runs)',
      '![drawing](data:image/svg+xml;base64,PHN2Zz4=)',
      '<img src="https://example.org/x.png">',
    ])
      expect(htmlOf(text)).not.toContain('<img')
  })

  test('links lead nowhere but outward', () => {
    for (const target of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'vbscript:x',
      'data:text/html,x',
      'file:///etc/passwd',
      '/v1/runs',
      '#top',
      '//example.org',
    ]) {
      expect(htmlOf(`[x](${target})`), target).not.toContain('href')
    }
  })

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '<svg onload=alert(1)><script>alert(1)</script></svg>',
    '<svg><style><img src=x onerror=alert(1)></style></svg>',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=alert(1)&gt;">',
    '<style>*{background:url(https://example.org)}</style>',
    '<p style="position:fixed;inset:0">over everything</p>',
    '<div id="app" name="body" class="card full">x</div>',
    '<a href="java&#x73;cript:alert(1)">x</a>',
    '<a\nhref="javascript:alert(1)">x</a>',
    '<form action="https://example.org"><input name=attributes></form>',
    '<details open ontoggle=alert(1)>x</details>',
    '<b <script>alert(1)</script>>x</b>',
    '<scr<script>ipt>alert(1)</scr</script>ipt>',
    '[x](javascript&colon;alert(1))',
    '![x](x"onerror="alert(1))',
    '[x](https://a"onmouseover="alert(1))',
    '<!--><img src=x onerror=alert(1)>-->',
    '<![CDATA[<img src=x onerror=alert(1)>]]>',
    '<template><img src=x onerror=alert(1)></template>',
    '<base href="https://example.org/"><link rel=stylesheet href=x><meta http-equiv=refresh content=0>',
    '\u0000<scr\u0000ipt>alert(1)</script>',
  ])('does no harm: %s', (text) => {
    expect(dangers(htmlOf(text))).toBe('')
    expect(dangers(htmlOf(`- ${text}\n\n> ${text}\n\n| a |\n|---|\n| ${text} |`))).toBe('')
  })

  test('stands huge nesting', () => {
    for (const text of [
      '>'.repeat(20_000),
      '- '.repeat(10_000),
      '['.repeat(5_000),
      '<div>'.repeat(2_000),
      '**a *a '.repeat(2_000),
      `${'<b>'.repeat(2_000)}x`,
    ]) {
      expect(dangers(htmlOf(text))).toBe('')
    }
  }, 20_000)
})
