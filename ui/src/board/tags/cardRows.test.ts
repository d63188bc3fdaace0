import { describe, expect, it } from 'vitest'
import { packGroups, TRACKS } from './cardRows'

/** The tracks that each row takes, as a grid would place the groups. */
function rows(counts: readonly number[], columns: number): readonly number[] {
  const taken: number[] = [0]
  for (const { width, cards } of packGroups(counts, columns)) {
    if (taken.at(-1)! + width > TRACKS) taken.push(0)
    taken[taken.length - 1]! += width
    let own = 0
    for (const card of cards) own = own + card > width ? card : own + card
    if (cards.length > 0) expect(own).toBe(width)
  }
  return taken
}

describe('packGroups', () => {
  it('leaves no row half empty, whatever the groups', () => {
    for (let columns = 1; columns <= 4; columns++)
      for (let code = 0; code < 4096; code++) {
        const counts = [code & 7, (code >> 3) & 7, (code >> 6) & 7, code >> 9].filter((count) => count > 0)
        for (const row of counts.length > 0 ? rows(counts, columns) : []) expect(row).toBe(TRACKS)
      }
  })

  it('puts small groups side by side, and widens the last row', () => {
    expect(packGroups([1, 2, 4, 1], 3)).toEqual([
      { width: 4, cards: [4] },
      { width: 8, cards: [4, 4] },
      { width: 12, cards: [4, 4, 4, 12] },
      { width: 12, cards: [12] },
    ])
  })

  it('gives folded groups a row of their own', () => {
    expect(packGroups([1, 0, 1], 2).map(({ width }) => width)).toEqual([12, 12, 12])
  })
})
