import { expect, it } from 'vitest'
import { matchParts } from './matchParts'

const shown = (text: string, find: string): string =>
  matchParts(text, find)
    .map((part) => (part.isMatch ? `<${part.text}>` : part.text))
    .join('')

it.each([
  ['a Loss of loss', 'LOSS', 'a <Loss> of <loss>'],
  ['aaa', 'aa', '<aa>a'],
  ['损失 Ä', 'ä', '损失 Ä'],
  ['text', '', 'text'],
  ['', 'x', ''],
])('marks in %j what matches %j', (text, find, expected) => expect(shown(text, find)).toBe(expected))
