/** The sectors of a pie. */

export interface Sector {
  /** Path data around the middle of a circle of radius 1. */
  readonly path: string
  /** Where its label goes, on the rim. */
  readonly middle: { readonly x: number; readonly y: number }
  readonly share: number
}

/** `shares` add up to 1 at most; the first sector begins at twelve o'clock. */
export function sectorsOf(shares: readonly number[]): readonly Sector[] {
  let before = 0
  return shares.map((share) => {
    const [from, to] = [before, (before += share)]
    const [begin, end, middle] = [at(from), at(to), at((from + to) / 2)]
    // An arc from a point to itself is none: a full circle is two halves.
    const path =
      share >= 0.999999
        ? 'M0 -1A1 1 0 1 1 0 1A1 1 0 1 1 0 -1Z'
        : `M0 0L${begin.x} ${begin.y}A1 1 0 ${share > 0.5 ? 1 : 0} 1 ${end.x} ${end.y}Z`
    return { path, middle, share }
  })
}

const at = (turn: number): { readonly x: number; readonly y: number } => ({
  x: round(Math.sin(turn * 2 * Math.PI)),
  y: round(-Math.cos(turn * 2 * Math.PI)),
})
const round = (value: number): number => Math.round(value * 1e5) / 1e5
