/** What the pointer is near: a point of every curve, and which of them to tell about. */

import type { Curve } from './curve'
import { nearestPoint, reachOf, type Line, type Values } from './curves'
import { xPixel, yPixel, type Layout } from './plot'

export interface Reading<C extends Values = Curve> {
  readonly line: Line<C>
  readonly point: number
  /** The value that is drawn (smoothed when smoothing is on). */
  readonly shown: number
  readonly pixelX: number
  readonly pixelY: number
}

/** How far beside the pointer, in pixels, a point may lie and still be read when points are far apart. */
const REACH = 24

/** The nearest point of every line at `x`; lines that are over (or not begun) there are left out. */
export function readAt<C extends Values>(lines: readonly Line<C>[], layout: Layout, x: number): Reading<C>[] {
  const at = xPixel(layout, x)
  const readings: Reading<C>[] = []
  for (const line of lines) {
    const point = nearestPoint(line, x)
    if (point < 0) continue
    const pixelX = xPixel(layout, line.xs[point]!)
    if (Math.abs(pixelX - at) > REACH) {
      const [first, last] = reachOf(line)
      if (x < first || x > last) continue
    }
    const y = line.ys[point]!
    readings.push({ line, point, shown: y, pixelX, pixelY: yPixel(layout, line.side, y) })
  }
  return readings
}

export interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Points looked at when asking how full an area is; enough to know, few enough to ask at every move of the pointer. */
const SAMPLES = 4000

/** How many drawn points (a sample of them) lie in `area`, in pixels of the chart. */
export function pointsIn(lines: readonly Line<Values>[], layout: Layout, area: Area): number {
  const total = lines.reduce((sum, { xs }) => sum + xs.length, 0)
  const stride = Math.max(1, Math.ceil(total / SAMPLES))
  let count = 0
  for (const { xs, ys, side } of lines) {
    for (let i = 0; i < xs.length; i += stride) {
      const x = xPixel(layout, xs[i]!) - area.x
      if (x < 0 || x > area.width) continue
      const y = yPixel(layout, side, ys[i]!) - area.y
      if (y >= 0 && y <= area.height) count++
    }
  }
  return count
}

export interface Choice<C extends Values = Curve> {
  readonly rows: readonly Reading<C>[]
  readonly more: number
  readonly nearest: Reading<C> | null
}

/** At most `limit` readings, those nearest to the pointer, the largest value first; borders of bands are told with their lines. */
export function choose<C extends Values>(
  readings: readonly Reading<C>[],
  pointerY: number | null,
  limit = 10,
): Choice<C> {
  const distance = (reading: Reading<C>): number =>
    pointerY === null || !Number.isFinite(reading.pixelY) ? Infinity : Math.abs(reading.pixelY - pointerY)
  const own = readings.filter(({ line }) => !line.bound)
  const near = [...own].sort((a, b) => distance(a) - distance(b) || 0)
  const nearest = pointerY === null ? null : (near[0] ?? null)
  const rows = near
    .slice(0, limit)
    .sort((a, b) => order(b.shown) - order(a.shown) || a.line.name.localeCompare(b.line.name))
  return { rows, more: own.length - rows.length, nearest }
}

const order = (value: number): number => (Number.isNaN(value) ? -Infinity : value)
