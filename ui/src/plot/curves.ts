/** Curves as a chart needs them: columns of numbers with an x for every axis. */

import type { Curve } from './curve'
import { smooth } from './smoothing'

export type AxisKind = 'step' | 'relative' | 'absolute'
export type Side = 'left' | 'right'

/** What drawing needs of a curve itself. */
export interface Values {
  readonly values: Float64Array
}

/** A curve with everything decided that drawing needs. */
export interface Line<C extends Values = Curve> {
  readonly key: string
  readonly name: string
  readonly curve: C
  readonly colour: string
  readonly dash: readonly number[]
  readonly side: Side
  /** That it belongs to, where it is one run's. */
  readonly run?: string
  /** Positions before which the line is not joined to what came before. */
  readonly breaks: readonly number[]
  readonly xs: Float64Array
  /** What is drawn boldly: smoothed values, or the values themselves. */
  readonly ys: Float64Array
  /** True when `ys` is smoothed, so the values themselves are drawn faintly behind. */
  readonly isSmoothed: boolean
  /** Whether `xs` never decreases, so that it can be searched by halves. */
  readonly isOrdered: boolean
  /** The border of a band around the line with the key `of`: thin, faint, and read together with it. */
  readonly bound?: { readonly of: string; readonly is: 'lower' | 'upper' }
}

/** What lies between two lines. */
export interface Band<C extends Values = Curve> {
  readonly lower: Line<C>
  readonly upper: Line<C>
  readonly colour: string
}

export const curveKey = (curve: Pick<Curve, 'run' | 'tag' | 'source'>): string =>
  `${curve.run}\n${curve.tag}\n${curve.source}`

export function positions(curve: Curve, axis: AxisKind): Float64Array {
  switch (axis) {
    case 'step':
      return curve.steps
    case 'absolute':
      return curve.walls
    case 'relative':
      return curve.walls.map((wall) => wall - curve.startTime)
  }
}

/** Smoothed values of `curve`: computed here when every point is at hand, else what the service computed. */
export function smoothedValues(curve: Curve, weight: number, isWhole: boolean): Float64Array | null {
  if (weight <= 0) return null
  if (isWhole && !curve.downsampled) return smooth(curve.values, weight)
  return curve.smoothed
}

/** `curve` with its points in the order of `xs`, and what belongs to them in the same order; as it is where they rise already. */
export function sortedBy(
  xs: Float64Array,
  curve: Curve,
  smoothed: Float64Array | null,
): { readonly xs: Float64Array; readonly curve: Curve; readonly smoothed: Float64Array | null } {
  if (isOrdered(xs)) return { xs, curve, smoothed }
  const order = Array.from(xs, (_, i) => i).sort((a, b) => xs[a]! - xs[b]! || a - b)
  const sorted = (column: Float64Array): Float64Array => Float64Array.from(order, (i) => column[i]!)
  return {
    xs: sorted(xs),
    curve: {
      ...curve,
      steps: sorted(curve.steps),
      walls: sorted(curve.walls),
      values: sorted(curve.values),
      starts: [0],
    },
    smoothed: smoothed && sorted(smoothed),
  }
}

/** The axis of a chart whose curves were all logged without steps is time. */
export const axisFor = (curves: readonly Pick<Curve, 'hasSteps'>[], axis: AxisKind): AxisKind =>
  axis === 'step' && curves.length > 0 && curves.every(({ hasSteps }) => !hasSteps) ? 'relative' : axis

export function isOrdered(xs: Float64Array): boolean {
  for (let i = 1; i < xs.length; i++) if (xs[i]! < xs[i - 1]!) return false
  return true
}

/** First position in the ordered `xs` whose value is at least `x`. */
export function lowerBound(xs: Float64Array, x: number): number {
  let lo = 0
  let hi = xs.length
  while (lo < hi) {
    const middle = (lo + hi) >> 1
    if (xs[middle]! < x) lo = middle + 1
    else hi = middle
  }
  return lo
}

/** Position of the point of `line` nearest to `x`, or -1 when the line has no points. */
export function nearestPoint(line: Line<Values>, x: number): number {
  const { xs } = line
  if (xs.length === 0) return -1
  if (line.isOrdered) {
    const right = Math.min(lowerBound(xs, x), xs.length - 1)
    const left = Math.max(right - 1, 0)
    return Math.abs(xs[left]! - x) <= Math.abs(xs[right]! - x) ? left : right
  }
  let best = 0
  for (let i = 1; i < xs.length; i++) {
    // The later of two equally near points: it is the one that was not overwritten.
    if (Math.abs(xs[i]! - x) <= Math.abs(xs[best]! - x)) best = i
  }
  return best
}

/** The smallest and the largest place of `line`, which has points. */
export function reachOf({ xs, isOrdered: isSorted }: Line<Values>): readonly [number, number] {
  if (isSorted) return [xs[0]!, xs[xs.length - 1]!]
  let [lo, hi] = [Infinity, -Infinity]
  for (let i = 0; i < xs.length; i++) {
    lo = Math.min(lo, xs[i]!)
    hi = Math.max(hi, xs[i]!)
  }
  return [lo, hi]
}

/** The place `by` points of `line` to the right of `x`, or to the left where `by` is negative; undefined beyond its ends. */
export function placeBeside(
  { xs, isOrdered: isSorted }: Line<Values>,
  x: number,
  by: number,
): number | undefined {
  const places = isSorted ? xs : xs.slice().sort()
  const slack = 1e-9 * Math.abs(x)
  if (by < 0) return places[lowerBound(places, x - slack) + by]
  let next = lowerBound(places, x + slack)
  while (places[next]! <= x + slack) next++
  return places[next + by - 1]
}

/** Steps that cover the x range [lo, hi] in every curve, one known point beyond on both sides; null when no curve has points there. */
export function stepRange(
  curves: readonly Curve[],
  axis: AxisKind,
  lo: number,
  hi: number,
): readonly [number, number] | null {
  if (axis === 'step') return [Math.floor(lo - (hi - lo) * 0.05), Math.ceil(hi + (hi - lo) * 0.05)]
  let from = Infinity
  let to = -Infinity
  for (const curve of curves) {
    const xs = positions(curve, axis)
    for (let i = 0; i < xs.length; i++) {
      const reaches = i + 1 < xs.length ? xs[i + 1]! >= lo : xs[i]! >= lo
      const begins = i > 0 ? xs[i - 1]! <= hi : xs[i]! <= hi
      if (!reaches || !begins) continue
      from = Math.min(from, curve.steps[i]!)
      to = Math.max(to, curve.steps[i]!)
    }
  }
  return from <= to ? [from, to] : null
}
