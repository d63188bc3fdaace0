/** Numbers about landscapes: their range, their levels, and the loss at any place. */

import { fraction, type Scale } from '@/plot/scale'
import { linearTicks, logTicks, type Ticks } from '@/plot/ticks'
import type { Range } from '@/plot/zoom'
import type { Landscape, LandscapePath } from './api'

/** From the lowest to the highest loss that can be shown, null when there is none. */
export function lossRange(landscapes: readonly Landscape[], isLog: boolean): Range | null {
  let [lo, hi] = [Infinity, -Infinity]
  for (const { z, path } of landscapes) {
    for (const losses of [z, path?.z ?? []]) {
      for (const loss of losses) {
        if (!Number.isFinite(loss) || (isLog && loss <= 0)) continue
        if (loss < lo) lo = loss
        if (loss > hi) hi = loss
      }
    }
  }
  return lo <= hi ? [lo, hi] : null
}

/** Losses from `range`; a plain that is flat gets some height. */
export function lossScale(range: Range | null, isLog: boolean): Scale {
  const [lo, hi] = range ?? [isLog ? 0.1 : 0, 1]
  if (hi > lo) return { lo, hi, isLog }
  return isLog
    ? { lo: lo / 2, hi: hi * 2, isLog }
    : { lo: lo - (Math.abs(lo) * 0.1 || 1), hi: hi + (Math.abs(hi) * 0.1 || 1), isLog }
}

/** Round losses at which lines are drawn. */
export function levelsOf({ lo, hi, isLog }: Scale, count: number): Ticks {
  return isLog ? logTicks(lo, hi, count) : linearTicks(lo, hi, count)
}

/** The losses as parts of the way from the lowest to the highest; NaN where there is none. */
export const heights = (z: Float64Array, scale: Scale): Float64Array =>
  z.map((loss) => (Number.isFinite(loss) ? fraction(scale, loss) : NaN))

/** The extent of both axes, paths and ends included. */
export function extentOf(
  landscapes: readonly Landscape[],
  hasPath: boolean,
): { readonly x: Range; readonly y: Range } {
  const reach = (axis: 'x' | 'y'): Range => {
    let [lo, hi] = [Infinity, -Infinity]
    for (const { [axis]: values, path, end } of landscapes) {
      for (const value of [
        ...values,
        ...(hasPath ? [...(path?.[axis] ?? []), ...(end ? [end[axis]] : [])] : []),
      ]) {
        if (value < lo) lo = value
        if (value > hi) hi = value
      }
    }
    return lo < hi ? [lo, hi] : lo === hi ? [lo - 1, hi + 1] : [0, 1]
  }
  return { x: reach('x'), y: reach('y') }
}

/** The loss at a place by those at the four corners around it; NaN outside. */
export function lossAt({ x, y, z }: Landscape, atX: number, atY: number): number {
  const [i, j] = [cellOf(x, atX), cellOf(y, atY)]
  if (i < 0 || j < 0) return NaN
  const [u, v] = [(atX - x[i]!) / (x[i + 1]! - x[i]!), (atY - y[j]!) / (y[j + 1]! - y[j]!)]
  const at = (across: number, down: number): number => z[(j + down) * x.length + i + across]!
  return (at(0, 0) * (1 - u) + at(1, 0) * u) * (1 - v) + (at(0, 1) * (1 - u) + at(1, 1) * u) * v
}

/** The number of the gap between two of the ascending `places` in which `at` lies; -1: in none. */
function cellOf(places: Float64Array, at: number): number {
  if (places.length < 2 || !(at >= places[0]! && at <= places.at(-1)!)) return -1
  let [lo, hi] = [0, places.length - 1]
  while (hi - lo > 1) {
    const middle = (lo + hi) >> 1
    if (places[middle]! <= at) lo = middle
    else hi = middle
  }
  return lo
}

/** A point of a path in words: its interval, and in epochs where the unit and their length are known. */
export function intervalText(
  { unit, stepsPerEpoch }: Pick<Landscape, 'unit' | 'stepsPerEpoch'>,
  path: LandscapePath,
  at: number,
  names: { step(text: string): string; epoch(text: string): string },
): string {
  const interval = path.intervals[at]!
  if (unit === 'epoch') return names.epoch(String(interval))
  const step = names.step(String(interval))
  return stepsPerEpoch > 1
    ? `${step} (${names.epoch(String(Number((interval / stepsPerEpoch).toFixed(2))))})`
    : step
}
