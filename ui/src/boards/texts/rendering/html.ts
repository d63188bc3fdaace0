/** Markdown as HTML. It is made to be harmless, but only `pieceOf` is trusted with that. */

import MarkdownIt from 'markdown-it'

/** Tags that people write into Markdown by hand. Their attributes are left out, all other tags are shown as they stand. */
export const PLAIN_TAGS = new Set(
  (
    'b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li mark ol p pre ' +
    'q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var'
  ).split(' '),
)
const TAG = /<(\/?)([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?\/?>/g

const OUTWARD = /^(?:https?|mailto):/i
/** Pictures inside the text itself; all others would have to be fetched from somewhere. */
const ENCLOSED = /^data:image\/(?:png|jpeg|gif|webp);base64,/i

const markdown = new MarkdownIt({ html: true, breaks: true })
const { escapeHtml } = markdown.utils

/** HTML in the text: what is harmless stays, without attributes, and the rest is text. */
function harmless(html: string): string {
  let safe = ''
  let end = 0
  for (const { 0: whole, 1: slash, 2: name, index } of html.matchAll(TAG)) {
    const tag = name!.toLowerCase()
    safe +=
      escapeHtml(html.slice(end, index)) + (PLAIN_TAGS.has(tag) ? `<${slash}${tag}>` : escapeHtml(whole))
    end = index + whole.length
  }
  return safe + escapeHtml(html.slice(end))
}

const { rules } = markdown.renderer
rules.html_inline = (tokens, i) => harmless(tokens[i]!.content)
rules.html_block = (tokens, i) => harmless(tokens[i]!.content)

rules.link_open = (tokens, i, options, _, self) => {
  const token = tokens[i]!
  const href = String(token.attrGet('href') ?? '')
  token.attrs = OUTWARD.test(href)
    ? [
        ['href', href],
        ['target', '_blank'],
        ['rel', 'noopener noreferrer'],
      ]
    : []
  return self.renderToken(tokens, i, options)
}

rules.image = (tokens, i, options, env, self) => {
  const token = tokens[i]!
  const src = String(token.attrGet('src') ?? '')
  const alt = escapeHtml(self.renderInlineAsText(token.children ?? [], options, env))
  if (ENCLOSED.test(src)) return `<img src="${escapeHtml(src)}" alt="${alt}">`
  // A link instead of a picture from elsewhere: reading a log must not tell anybody that it is read.
  return OUTWARD.test(src)
    ? `<a href="${escapeHtml(src)}" target="_blank" rel="noopener noreferrer">${alt || escapeHtml(src)}</a>`
    : alt
}

/** Columns are aligned by attribute: the page's policy knows no inline styles. */
const aligned: NonNullable<typeof rules.td_open> = (tokens, i, options, _, self) => {
  const token = tokens[i]!
  const side = /text-align:(left|center|right)/.exec(String(token.attrGet('style') ?? ''))?.[1]
  token.attrs = side === undefined ? [] : [['align', side]]
  return self.renderToken(tokens, i, options)
}
rules.td_open = aligned
rules.th_open = aligned

export const htmlOf = (text: string): string => markdown.render(text)
