import { describe, expect, test } from 'vitest'
import { changesOf, diffOf, type Row } from './diff'

const text = (row: Row): string =>
  row.kind === 'fold'
    ? `… ${row.rows.length}`
    : `${{ same: ' ', gone: '-', new: '+' }[row.kind]}${row.parts.map((part) => (part.isChanged ? `[${part.text}]` : part.text)).join('')}`
const diff = (before: string, after: string): string[] => diffOf(before, after).map(text)

describe('the difference of two texts', () => {
  test('is nothing for equal ones', () => {
    expect(diff('a\nb', 'a\nb')).toEqual([' a', ' b'])
    expect(diff('', '')).toEqual([' '])
  })

  test('shows lines that came and went', () => {
    expect(diff('a\nb\nc', 'a\nc\nd')).toEqual([' a', '-b', ' c', '+d'])
    expect(diff('b', 'a\nb\nc')).toEqual(['+a', ' b', '+c'])
  })

  test('marks the words that changed in a line', () => {
    expect(diff('loss is 0.50 now', 'loss is 0.25 now')).toEqual([
      '-loss is 0.[50] now',
      '+loss is 0.[25] now',
    ])
    expect(diff('损失下降很快', '损失上升很快')).toEqual(['-损失[下降]很快', '+损失[上升]很快'])
  })

  test('marks no words where two lines have nothing to do with each other', () => {
    expect(diff('alpha beta', 'gamma delta')).toEqual(['-alpha beta', '+gamma delta'])
  })

  test('folds long stretches that stayed', () => {
    const lines = Array.from({ length: 40 }, (_, i) => `line ${i}`)
    const changed = lines.with(20, 'other words')

    expect(diff(lines.join('\n'), changed.join('\n'))).toEqual([
      '… 17',
      ' line 17',
      ' line 18',
      ' line 19',
      '-line 20',
      '+other words',
      ' line 21',
      ' line 22',
      ' line 23',
      '… 16',
    ])
  })

  test('leads from the one to the other, and is as short as it can be', () => {
    let seed = 7
    const random = (below: number): number => (seed = (seed * 1103515245 + 12345) % 2 ** 31) % below
    for (let round = 0; round < 300; round++) {
      const make = (): string[] => Array.from({ length: random(9) }, () => 'abc'[random(3)]!)
      const [before, after] = [make(), make()]
      const changes = changesOf(before, after)
      expect(before.filter((_, i) => !changes.before.has(i))).toEqual(
        after.filter((_, i) => !changes.after.has(i)),
      )
      expect(before.length - changes.before.size).toBe(common(before, after))
    }
  })

  test('of long texts without likeness ends soon', () => {
    const make = (word: string): string => Array.from({ length: 20_000 }, (_, i) => `${word}${i}`).join('\n')
    const began = performance.now()

    expect(diffOf(make('a'), make('b'))).toHaveLength(40_000)
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})

/** The length of the longest common subsequence, the slow and obvious way. */
function common(a: readonly string[], b: readonly string[]): number {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  a.forEach((one, i) =>
    b.forEach(
      (other, j) =>
        (lengths[i + 1]![j + 1] =
          one === other ? lengths[i]![j]! + 1 : Math.max(lengths[i]![j + 1]!, lengths[i + 1]![j]!)),
    ),
  )
  return lengths[a.length]![b.length]!
}
