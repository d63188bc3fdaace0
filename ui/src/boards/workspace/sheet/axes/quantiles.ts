/** Numbers by their rank among all: as many on each stretch of the axis, however they are spread. */

/** How many of `sorted` are below `value`, or at most it. */
function countBelow(sorted: Float64Array, value: number, isEqualBelow: boolean): number {
  let [lo, hi] = [0, sorted.length]
  while (lo < hi) {
    const middle = (lo + hi) >> 1
    if (sorted[middle]! < value || (isEqualBelow && sorted[middle]! === value)) lo = middle + 1
    else hi = middle
  }
  return lo
}

/** Where a value lies among all, from 0 to 1; equal ones share the middle of their places. */
export function rankPart(sorted: Float64Array, value: number): number {
  if (sorted.length < 2) return 0.5
  const [below, upTo] = [countBelow(sorted, value, false), countBelow(sorted, value, true)]
  return Math.min(1, Math.max(0, (below + upTo - 1) / 2 / (sorted.length - 1)))
}

/** The smallest and the largest value whose places are between two; null when there is none. */
export function valuesBetween(
  sorted: Float64Array,
  low: number,
  high: number,
): readonly [number, number] | null {
  const inside = sorted.filter((value) => {
    const part = rankPart(sorted, value)
    return part >= low && part <= high
  })
  return inside.length > 0 ? [inside[0]!, inside.at(-1)!] : null
}

/** At most `count` of the values, evenly over their ranks. */
export function quantileValues(sorted: Float64Array, count: number): readonly number[] {
  const most = Math.max(1, Math.min(count, sorted.length) - 1)
  return [
    ...new Set(
      Array.from({ length: most + 1 }, (_, i) => sorted[Math.round((i / most) * (sorted.length - 1))]!),
    ),
  ]
}
