/** A row that somebody points at, and where in the window. */
export interface PointedRow {
  readonly row: number
  readonly clientX: number
  readonly clientY: number
}

/** The next of the kept rows after `from`, in the direction of `by`; null when there are none. */
export function nextKept(kept: Uint8Array, from: number | null, by: 1 | -1): number | null {
  const count = kept.length
  let row = from ?? (by > 0 ? -1 : count)
  for (let tries = 0; tries < count; tries++) {
    row = (row + by + count) % count
    if (kept[row]) return row
  }
  return null
}
