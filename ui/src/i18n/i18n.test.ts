import { describe, expect, it } from 'vitest'
import { en } from './en'
import { zh } from './zh'

/** Every text, with the numbers and names it would be given. */
function texts(messages: object, path = ''): Map<string, string> {
  const found = new Map<string, string>()
  for (const [key, value] of Object.entries(messages)) {
    const name = path + key
    if (typeof value === 'string') found.set(name, value)
    else if (typeof value === 'function') found.set(name, String(value(7, 9)))
    else for (const [inner, text] of texts(value, `${name}.`)) found.set(inner, text)
  }
  return found
}

describe('languages', () => {
  it('have the same words, all of them said', () => {
    expect([...texts(zh).keys()].sort()).toEqual([...texts(en).keys()].sort())
    for (const [key, text] of [...texts(en), ...texts(zh)]) expect(text.trim(), key).not.toBe('')
  })

  it('are really two languages', () => {
    const SAME = ['appName', 'downloadPng', 'downloadSvg']
    const chinese = texts(zh)
    for (const [key, text] of texts(en)) {
      if (!SAME.includes(key) && /[a-z]{4}/.test(text)) expect(chinese.get(key), key).not.toBe(text)
    }
  })

  it('use every value they are given', () => {
    for (const messages of [en, zh]) {
      for (const [key, value] of Object.entries(messages)) {
        if (typeof value === 'function' && value.length > 0) expect(String((value as (...values: number[]) => string)(7, 9)), key).toMatch(/7/)
      }
    }
  })
})
