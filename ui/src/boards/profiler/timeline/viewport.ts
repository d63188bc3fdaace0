/** The stretch of time that is in sight, in nanoseconds. */

export interface Span {
  readonly from: number
  readonly to: number
}

/** Nothing shorter is worth a whole screen: recordings are exact to a nanosecond. */
const SHORTEST_NS = 20

export const lengthOf = ({ from, to }: Span): number => to - from

/** Not shorter than can be told apart, not longer than `whole` with its margins, and never beside it. */
export function limited({ from, to }: Span, whole: Span): Span {
  const length = Math.min(Math.max(to - from, SHORTEST_NS), lengthOf(whole))
  const middle = (from + to) / 2
  const begin = Math.min(Math.max(middle - length / 2, whole.from), whole.to - length)
  return { from: begin, to: begin + length }
}

/** `by` above 1 shows less; what is at the time `at` stays where it is. */
export function zoomed({ from, to }: Span, by: number, at: number, whole: Span): Span {
  const length = Math.min(Math.max((to - from) / by, SHORTEST_NS), lengthOf(whole))
  const share = (at - from) / (to - from)
  return limited({ from: at - share * length, to: at + (1 - share) * length }, whole)
}

export const moved = ({ from, to }: Span, by: number, whole: Span): Span =>
  limited({ from: from + by, to: to + by }, whole)

/** `inner` in the middle, with room on both sides. */
export function around(inner: Span, whole: Span, room = 0.4): Span {
  const margin = Math.max(lengthOf(inner), SHORTEST_NS / 2) * room
  return limited({ from: inner.from - margin, to: inner.to + margin }, whole)
}

/** Everything, with a little room at the ends. */
export function withMargin({ from, to }: Span): Span {
  const margin = Math.max((to - from) * 0.02, SHORTEST_NS)
  return { from: from - margin, to: to + margin }
}

export const contains = (outer: Span, { from, to }: Span): boolean => from >= outer.from && to <= outer.to
