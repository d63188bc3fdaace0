/** What a pointer means in a chart of histograms: the step and bucket under it, or the part of the chart that was dragged over. */

import { valueAt } from '@/plot/scale'
import type { Range } from '@/plot/zoom'
import { bucketAt } from './buckets'
import {
  heightAt,
  placePixel,
  type HistogramLayout,
  type HistogramPlot,
  type Ridge,
  type Row,
} from './ridges'

/** What is read at a place: the histogram under the pointer, the nearest ones of the other series, and their buckets. */
export interface HistogramReading {
  readonly row: Row
  readonly bucket: number
  readonly isChosen: boolean
}

/** The row that a pointer at (x, y) means; null without rows. */
export function rowAt(plot: HistogramPlot, layout: HistogramLayout, x: number, y: number): Row | null {
  if (plot.rows.length === 0) return null
  if (plot.look === 'bands') {
    const at = valueAt(layout.places, (x - layout.x) / layout.width)
    return nearestOf(plot.rows, at)
  }
  let best: Ridge | null = null
  let distance = Infinity
  for (const ridge of layout.ridges) {
    const top = ridge.baseline - heightAt(layout, ridge, x)
    // Later ridges lie in front, so they win where the pointer is on several.
    const isOn = plot.look === 'offset' && y >= top - 1 && y <= ridge.baseline + 1
    const away = isOn ? 0 : Math.abs(y - top)
    if (away <= distance) {
      distance = away
      best = ridge
    }
  }
  return best?.row ?? null
}

export const nearestOf = (rows: readonly Row[], at: number): Row =>
  rows.reduce((best, row) => (Math.abs(row.at - at) < Math.abs(best.at - at) ? row : best))

/** `chosen` and, of every other series, the row nearest to it, each with the bucket that holds `value`. */
export function readRows(plot: HistogramPlot, chosen: Row, value: number): readonly HistogramReading[] {
  return seriesOf(plot.rows).map((rows) => {
    const row = rows[0]!.key === chosen.key ? chosen : nearestOf(rows, chosen.at)
    return { row, bucket: bucketAt(row.histogram, value), isChosen: row === chosen }
  })
}

/** The rows of each series. */
export function seriesOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const byKey = new Map<string, Row[]>()
  for (const row of rows) {
    const own = byKey.get(row.key)
    if (own) own.push(row)
    else byKey.set(row.key, [row])
  }
  return [...byKey.values()]
}

/** A part of a chart: steps, values, or both; null means all of them. */
export interface HistogramZoom {
  readonly steps: Range | null
  readonly values: Range | null
}

export interface Area {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

/** Thinner areas are meant along their length only. */
const FLAT = 12

/** The area that is meant by one dragged from corner to corner: as far as the axes reach that it spans. */
export function meantArea({ look }: HistogramPlot, layout: HistogramLayout, { x0, y0, x1, y1 }: Area): Area {
  const isFlat = look === 'overlay' || y1 - y0 < FLAT
  const isNarrow = !isFlat && x1 - x0 < FLAT
  return {
    x0: isNarrow ? layout.x : x0,
    x1: isNarrow ? layout.x + layout.width : x1,
    y0: isFlat ? layout.y : y0,
    y1: isFlat ? layout.y + layout.height : y1,
  }
}

/** What to zoom into for an area that `meantArea` gave; null when that is nothing. */
export function zoomOf(
  plot: HistogramPlot,
  layout: HistogramLayout,
  { x0, y0, x1, y1 }: Area,
): HistogramZoom | null {
  const isBands = plot.look === 'bands'
  const across =
    x1 - x0 < layout.width
      ? ([(x0 - layout.x) / layout.width, (x1 - layout.x) / layout.width] as const)
      : null
  const down =
    y1 - y0 < layout.height
      ? ([1 - (y1 - layout.y) / layout.height, 1 - (y0 - layout.y) / layout.height] as const)
      : null
  const part = isBands ? down : across
  const isSteps = isBands ? across !== null : down !== null
  const within = isBands
    ? plot.rows.filter(({ at }) => placePixel(layout, at) >= x0 && placePixel(layout, at) <= x1)
    : layout.ridges.filter(({ baseline }) => baseline >= y0 && baseline <= y1).map(({ row }) => row)
  const steps = isSteps ? stepRange(within) : null
  if (isSteps && steps === null) return null
  return { steps, values: part && [valueAt(layout.values, part[0]), valueAt(layout.values, part[1])] }
}

function stepRange(rows: readonly Row[]): Range | null {
  const steps = rows.map(({ histogram }) => histogram.step)
  return steps.length > 0
    ? [steps.reduce((a, b) => Math.min(a, b)), steps.reduce((a, b) => Math.max(a, b))]
    : null
}

/** `zoom` within `outer`: what it does not say stays as it was. */
export const zoomedWithin = (outer: HistogramZoom | null, zoom: HistogramZoom): HistogramZoom => ({
  steps: zoom.steps ?? outer?.steps ?? null,
  values: zoom.values ?? outer?.values ?? null,
})

export const sameZoom = (a: HistogramZoom | null, b: HistogramZoom | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b)
