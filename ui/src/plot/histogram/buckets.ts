/** Histograms on a common grid, their percentiles, and the bucket at a value. */

import type { Range } from '@/plot/zoom'
import type { Histogram } from './histogram'

/** Shares of the values at which bands begin and end: half, one and one and a half standard deviations of a bell curve. */
export const BANDS: readonly number[] = [0, 0.0668, 0.1587, 0.3085, 0.5, 0.6915, 0.8413, 0.9332, 1]

/** From the leftmost to the rightmost edge of all `histograms`, null when none has values. */
export function valueExtent(histograms: readonly Histogram[]): Range | null {
  let lo = Infinity
  let hi = -Infinity
  for (const { edges } of histograms) {
    for (const edge of [edges[0], edges.at(-1)]) {
      if (edge === undefined || !Number.isFinite(edge)) continue
      lo = Math.min(lo, edge)
      hi = Math.max(hi, edge)
    }
  }
  return lo <= hi ? [lo, hi] : null
}

/**
 * How many values lie in each of `bins` equal parts of [lo, hi], where lo < hi; what lies outside is left out.
 * A bucket that spans several parts is shared among them by width; one without width lies in a single part.
 */
export function rebin(
  { edges, counts }: Pick<Histogram, 'edges' | 'counts'>,
  [lo, hi]: Range,
  bins: number,
): Float64Array {
  const parts = new Float64Array(bins)
  const width = (hi - lo) / bins
  for (let i = 0; i < counts.length; i++) {
    const [left, right, count] = [edges[i]!, edges[i + 1]!, counts[i]!]
    if (count === 0 || !Number.isFinite(left) || !Number.isFinite(right) || right < lo || left > hi) continue
    const first = Math.min(bins - 1, Math.max(0, Math.floor((left - lo) / width)))
    if (!(right > left)) {
      parts[first]! += count
      continue
    }
    const last = Math.min(bins - 1, Math.max(first, Math.ceil((right - lo) / width) - 1))
    for (let part = first; part <= last; part++) {
      const from = Math.max(left, lo + part * width)
      // The last part ends exactly at `hi`, however its width was rounded.
      const to = Math.min(right, part === bins - 1 ? hi : lo + (part + 1) * width)
      parts[part]! += (count * Math.max(0, to - from)) / (right - left)
    }
  }
  return parts
}

/** The value below which the share `part` (0 to 1) of the finite values lies, even within buckets; NaN without values. */
export function percentile({ edges, counts }: Pick<Histogram, 'edges' | 'counts'>, part: number): number {
  const total = counts.reduce((sum, count) => sum + count, 0)
  const target = part * total
  let below = 0
  for (let i = 0; i < counts.length; i++) {
    const count = counts[i]!
    if (count > 0 && below + count >= target) {
      return edges[i]! + Math.max(0, (target - below) / count) * (edges[i + 1]! - edges[i]!)
    }
    below += count
  }
  return NaN
}

/** The bucket that holds `value`, -1 outside of all. The right edge belongs to the last bucket only. */
export function bucketAt({ edges }: Pick<Histogram, 'edges'>, value: number): number {
  const last = edges.length - 2
  if (last < 0 || !(value >= edges[0]!) || value > edges[last + 1]!) return -1
  let lo = 0
  let hi = last
  while (lo < hi) {
    const middle = (lo + hi + 1) >> 1
    if (edges[middle]! <= value) lo = middle
    else hi = middle - 1
  }
  return lo
}

/** How many of the values are no finite numbers. */
export const nonFiniteOf = ({ nan, posInf, negInf }: Pick<Histogram, 'nan' | 'posInf' | 'negInf'>): number =>
  nan + posInf + negInf
