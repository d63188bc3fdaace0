import { afterEach, describe, expect, it } from 'vitest'
import { language, selectLanguage, wordsOf } from './index'
import { LANGUAGES } from './languages'

type Words = Readonly<Record<string, unknown>>
type Areas = Readonly<Record<string, Words>>

const seven = (): string => '7'
/** What sentences are called with, by area; elsewhere two numbers. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  queryProblems: { text: '7', name: '7', most: '7', expected: '7', near: ['7'], columns: ['7'] },
  advice: {
    ...{ text: seven, count: seven, share: seven, time: seven, bytes: seven, large: seven, speed: seven },
    ...{ side: seven, number: () => 7 },
  },
}

/** Every text, with the numbers and names it would be given. */
function texts(messages: object, sample: unknown, path = ''): Map<string, string> {
  const all = new Map<string, string>()
  for (const [key, value] of Object.entries(messages)) {
    const name = path + key
    if (typeof value === 'string') all.set(name, value)
    else if (typeof value === 'function') all.set(name, String(value(sample, 9)))
    else for (const [inner, text] of texts(value as object, sample, `${name}.`)) all.set(inner, text)
  }
  return all
}

/** All words of a language. */
async function wordsIn(language: keyof typeof LANGUAGES): Promise<Areas> {
  const groups = await Promise.all(Object.values(LANGUAGES[language].words).map((load) => load()))
  return Object.assign({}, ...groups) as Areas
}

const [areas, translated] = await Promise.all([wordsIn('en'), wordsIn('zh')])
const ALL = Object.keys(areas).map(
  (area) => [area, areas[area]!, translated[area]!, SAMPLES[area] ?? 7] as const,
)
/** Names are the same in every language, as are lines of code. */
const SAME = ['appName', 'downloadPng', 'downloadSvg', 'markdown', 'example']
const NAMES = ['Python']
/** The value selects a sentence and is not part of it. */
const CONDITIONAL = ['no_steps']

afterEach(() => (language.value = 'en'))

describe.each(ALL)('the words of %s', (_, english, chinese, sample) => {
  it('are there in both languages, all of them said', () => {
    expect([...texts(chinese, sample).keys()].sort()).toEqual([...texts(english, sample).keys()].sort())
    for (const [key, text] of [...texts(english, sample), ...texts(chinese, sample)])
      expect(text.trim(), key).not.toBe('')
  })

  it('are really two languages', () => {
    const other = texts(chinese, sample)
    for (const [key, text] of texts(english, sample)) {
      if (!SAME.includes(key) && !NAMES.includes(text) && /[a-z]{4}/.test(text) && !/[<>=]/.test(text))
        expect(other.get(key), key).not.toBe(text)
    }
  })

  it('use every value they are given', () => {
    for (const [key, value] of [...Object.entries(english), ...Object.entries(chinese)]) {
      if (typeof value !== 'function' || value.length === 0 || CONDITIONAL.includes(key)) continue
      const say = value as (...values: unknown[]) => string
      expect(`${say(sample, 9)} ${say(sample, 0)}`, key).toMatch(/7/)
    }
  })
})

it('switches once the words of the other language are loaded', async () => {
  await selectLanguage('zh')
  expect(wordsOf('images').value.brightness).toBe('亮度')
  expect(document.documentElement.lang).toBe('zh-CN')
  await selectLanguage('en')
  expect(wordsOf('images').value.brightness).toBe('Brightness')
})
