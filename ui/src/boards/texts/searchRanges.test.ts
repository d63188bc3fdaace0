import { describe, expect, test } from 'vitest'
import { placesOf, rangesOf } from './searchRanges'

describe('words', () => {
  test('are found small and capital, in every script, and taken literally', () => {
    expect(placesOf('Loss, loss, LOSS', 'loss')).toEqual([
      [0, 4],
      [6, 10],
      [12, 16],
    ])
    expect(placesOf('训练损失下降，损失', '损失')).toEqual([
      [2, 4],
      [7, 9],
    ])
    expect(placesOf('a.b (c) [d] a-b a\\b $x', 'a.b')).toEqual([[0, 3]])
    for (const words of ['(c)', '[d]', 'a-b', 'a\\b', '$x'])
      expect(placesOf('a.b (c) [d] a-b a\\b $x', words), words).toHaveLength(1)
    expect(placesOf('anything', '')).toEqual([])
  })

  test('are found across emphasis', () => {
    const box = document.createElement('div')
    box.innerHTML = '<p>the <b>lo</b>ss</p><p>went down, loss</p>'

    expect(rangesOf(box, 'loss').map(String)).toEqual(['loss', 'loss'])
  })
})
