/** Where the cards of groups stand, so that every row is full. */

/** Of a row: divisible by as many cards as stand in one. */
export const TRACKS = 12

export interface GroupSpans {
  /** Tracks of the group. */
  readonly width: number
  /** Of each of its cards. */
  readonly cards: readonly number[]
}

/**
 * Tracks of groups with so many cards of one size, `columns` (1 to 4) of which fit beside each other. Groups that fit into
 * a row together share it; the cards of the last row of a larger group, and of a row that is not full, are wider. Groups
 * without cards, which are folded, have a row of their own.
 */
export function packGroups(counts: readonly number[], columns: number): readonly GroupSpans[] {
  const spans: GroupSpans[] = []
  let row: number[] = [] // the card counts of small groups that share a row
  const close = (): void => {
    const cards = row.reduce((sum, count) => sum + count, 0)
    for (const count of row) {
      const each = TRACKS / cards
      spans.push({ width: each * count, cards: new Array<number>(count).fill(each) })
    }
    row = []
  }
  for (const count of counts) {
    const width = row.reduce((sum, other) => sum + other, 0)
    if (count === 0 || width + count > columns) close()
    if (count > 0 && count <= columns) {
      row.push(count)
      continue
    }
    const last = count % columns
    spans.push({
      width: TRACKS,
      cards: Array.from({ length: count }, (_, at) => (at < count - last ? TRACKS / columns : TRACKS / last)),
    })
  }
  close()
  return spans
}
