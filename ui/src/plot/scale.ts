/** From values to pixels, and how large an axis must be. */

import type { Line, Side, Values } from './curves'
import type { Range } from './zoom'

export interface Scale {
  readonly lo: number
  readonly hi: number
  readonly isLog: boolean
}

/** Where `value` lies between the ends of `scale`: 0 at `lo`, 1 at `hi`; NaN when it cannot be shown. */
export function fraction(scale: Scale, value: number): number {
  if (!scale.isLog) return (value - scale.lo) / (scale.hi - scale.lo)
  return value > 0 ? Math.log(value / scale.lo) / Math.log(scale.hi / scale.lo) : NaN
}

/** The value at `part` (0 to 1) of `scale`; undoes `fraction`. */
export function valueAt(scale: Scale, part: number): number {
  if (!scale.isLog) return scale.lo + part * (scale.hi - scale.lo)
  return scale.lo * (scale.hi / scale.lo) ** part
}

/** Smallest and largest x of all lines, of those above zero where `isLog`; null without points. */
export function xExtent(lines: readonly Line<Values>[], isLog = false): Range | null {
  let lo = Infinity
  let hi = -Infinity
  for (const { xs } of lines) {
    for (let i = 0; i < xs.length; i++) {
      const x = xs[i]!
      if (isLog && x <= 0) continue
      if (x < lo) lo = x
      if (x > hi) hi = x
    }
  }
  return lo <= hi ? [lo, hi] : null
}

export interface YOptions {
  readonly side: Side
  readonly within: Range
  readonly isLog: boolean
  readonly ignoreOutliers: boolean
}

/** Smallest and largest drawable value on one side within the x range, null when there is none. */
export function yExtent(
  lines: readonly Line<Values>[],
  { side, within, isLog, ignoreOutliers }: YOptions,
): Range | null {
  let lo = Infinity
  let hi = -Infinity
  const all: number[] = []
  for (const line of lines) {
    if (line.side !== side) continue
    const { xs, ys, curve } = line
    const widen = (values: Float64Array): void => {
      for (let i = 0; i < xs.length; i++) {
        const y = values[i]!
        if (xs[i]! < within[0] || xs[i]! > within[1] || !Number.isFinite(y) || (isLog && y <= 0)) continue
        if (y < lo) lo = y
        if (y > hi) hi = y
        if (ignoreOutliers && values === ys) all.push(y)
      }
    }
    widen(ys)
    if (line.isSmoothed) widen(curve.values)
  }
  if (lo > hi) return null
  return ignoreOutliers && all.length >= 10
    ? withoutOutliers(Float64Array.from(all).sort(), [lo, hi])
    : [lo, hi]
}

/** The middle nine tenths of the `sorted` values and half of their width on both sides, inside `extent`. */
export function withoutOutliers(sorted: Float64Array, extent: Range): Range {
  const at = (part: number): number => sorted[Math.round(part * (sorted.length - 1))]!
  const lo = at(0.05)
  const hi = at(0.95)
  const margin = (hi - lo) * 0.5
  if (margin === 0) return extent
  return [Math.max(extent[0], lo - margin), Math.min(extent[1], hi + margin)]
}

/** `extent` with air around it; a single value gets a range that puts it in the middle. */
export function padded(extent: Range, isLog: boolean, part = 0.05): Scale {
  const [lo, hi] = extent
  if (isLog) {
    const air = lo === hi ? 2 : (hi / lo) ** part
    return { lo: lo / air, hi: hi * air, isLog }
  }
  const air = lo === hi ? Math.abs(lo) * 0.1 || 1 : (hi - lo) * part
  // Data that touches zero keeps zero as its floor: a loss axis does not start below it.
  return {
    lo: lo >= 0 && lo - air < 0 && lo !== hi ? 0 - (lo === 0 ? air * 0.4 : 0) : lo - air,
    hi: hi + air,
    isLog,
  }
}
