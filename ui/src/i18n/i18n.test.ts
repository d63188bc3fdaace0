import { afterEach, describe, expect, it } from 'vitest'
import { unref } from 'vue'
import { en } from './en'
import { language } from './index'
import { zh } from './zh'

type Words = Readonly<Record<string, unknown>>

/** Every text, with the numbers and names it would be given. */
function texts(messages: object, path = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, value] of Object.entries(messages)) {
    const name = path + key
    if (typeof value === 'string') found.set(name, value)
    else if (typeof value === 'function') found.set(name, String(value(7, 9)))
    else for (const [inner, text] of texts(value as object, `${name}.`)) found.set(inner, text)
  }
  return found
}

/** What a board says in both languages; boards keep their words in files of their own. */
function wordsOf(board: { readonly w?: unknown }): readonly [Words, Words] {
  language.value = 'en'
  const english = unref(board.w) as Words
  language.value = 'zh'
  return [english, unref(board.w) as Words]
}

const files = Object.entries(import.meta.glob<{ readonly w?: unknown }>('./*.ts', { eager: true })).filter(([, module]) => module.w !== undefined)
const ALL = [['the page', en, zh] as const, ...files.map(([file, module]) => [file, ...wordsOf(module)] as const)]
/** Names are the same in every language, as are lines of code. */
const SAME = ['appName', 'downloadPng', 'downloadSvg', 'markdown']

afterEach(() => (language.value = 'en'))

describe.each(ALL)('the words of %s', (_, english: Words, chinese: Words) => {
  it('are there in both languages, all of them said', () => {
    expect([...texts(chinese).keys()].sort()).toEqual([...texts(english).keys()].sort())
    for (const [key, text] of [...texts(english), ...texts(chinese)]) expect(text.trim(), key).not.toBe('')
  })

  it('are really two languages', () => {
    const other = texts(chinese)
    for (const [key, text] of texts(english)) {
      if (!SAME.includes(key) && /[a-z]{4}/.test(text) && !/[<>=]/.test(text)) expect(other.get(key), key).not.toBe(text)
    }
  })

  it('use every value they are given', () => {
    for (const [key, value] of [...Object.entries(english), ...Object.entries(chinese)]) {
      if (typeof value !== 'function' || value.length === 0) continue
      const say = value as (...values: number[]) => string
      expect(`${say(7, 9)} ${say(7, 0)}`, key).toMatch(/7/)
    }
  })
})

it('finds the words of boards', () => expect(files.map(([file]) => file)).toContain('./images.ts'))
