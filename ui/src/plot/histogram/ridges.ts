/** Where histograms over training go in a chart: as ridges behind or over each other, or as bands of percentiles. */

import type { AxisKind } from '@/plot/curves'
import type { Pen } from '@/plot/pen'
import { ticksOf } from '@/plot/plot'
import { fraction, type Scale } from '@/plot/scale'
import { linearTicks, logTicks, type Ticks } from '@/plot/ticks'
import type { Range } from '@/plot/zoom'
import { rebin, valueExtent } from './buckets'
import type { Histogram } from './histogram'

/** `offset`: steps behind each other, seen from above; `overlay`: all in front; `bands`: percentiles over the steps. */
export type Look = 'offset' | 'overlay' | 'bands'

/** One histogram of one series, and how it is drawn. */
export interface Row {
  /** Names the series. */
  readonly key: string
  readonly name: string
  readonly colour: string
  readonly dash: readonly number[]
  readonly histogram: Histogram
  /** Its place on the axis of steps or times. */
  readonly at: number
  readonly relative: number
  /** 0 for the first of its series, 1 for the last. */
  readonly age: number
}

export interface HistogramPlot {
  readonly look: Look
  readonly axis: AxisKind
  /** In the order of `at`. */
  readonly rows: readonly Row[]
  readonly axisLabel: string
  readonly valueLabel: string
  readonly countLabel: string
  /** The part of the values that is shown; null: all there are. */
  readonly values: Range | null
  /** Counts are drawn by their logarithm, so that few values beside many are seen. */
  readonly isLog: boolean
}

export interface Ridge {
  readonly row: Row
  readonly baseline: number
  /** Pixels above the baseline, one for each equal part of the width. */
  readonly heights: Float64Array
}

export interface HistogramLayout {
  /** The width of the whole chart; the other measures are of the frame in it. */
  readonly outerWidth: number
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** Values of the parameters; along y in the look `bands`, else along x. */
  readonly values: Scale
  readonly valueTicks: Ticks
  /** Steps or times; along x in the look `bands`, else along y from the top. */
  readonly places: Scale
  readonly placeTicks: Ticks
  /** Where the baseline of the first step lies in the look `offset`. */
  readonly firstBaseline: number
  /** Counts along y in the look `overlay`. */
  readonly countTicks: Ticks
  readonly largestCount: number
  /** Empty in the look `bands`. */
  readonly ridges: readonly Ridge[]
}

export const LABEL_PIXELS = 11
const TOP = 8
const BOTTOM = 22
const EDGE = 12
/** How much of the height the tallest ridge takes when there are many. */
const RIDGE_PART = 0.42
/** And in the overlay, so that its top is not cut. */
export const OVERLAY_PART = 0.98
const NO_TICKS: Ticks = { values: [], labels: [] }

function placeExtent(rows: readonly Row[]): Range {
  const lo = rows.reduce((least, { at }) => Math.min(least, at), Infinity)
  const hi = rows.reduce((most, { at }) => Math.max(most, at), -Infinity)
  return lo <= hi ? [lo, hi] : [0, 1]
}

/** Ticks only where there are steps: around a single one the axis is made up. */
function within([lo, hi]: Range, { values, labels }: Ticks): Ticks {
  const inside = values.map((value) => value >= lo && value <= hi)
  return { values: values.filter((_, i) => inside[i]), labels: labels.filter((_, i) => inside[i]) }
}

function valueScale({ rows, values }: HistogramPlot, air: number): Scale {
  if (values) return { lo: values[0], hi: values[1], isLog: false }
  const extent = valueExtent(rows.map(({ histogram }) => histogram)) ?? [0, 1]
  const [lo, hi] = extent
  // All values are the same: they stand in the middle.
  const space = lo === hi ? Math.abs(lo) * 0.1 || 1 : (hi - lo) * air
  return { lo: lo - space, hi: hi + space, isLog: false }
}

const room = (pen: Pick<Pen, 'measureText'>, ticks: Ticks): number =>
  Math.ceil(Math.max(24, ...ticks.labels.map((label) => pen.measureText(label).width))) + 12

/** Zero, then powers of ten; below ten the logarithm bends little. */
function countsByTen(largest: number, count: number): Ticks {
  if (largest < 10) return linearTicks(0, largest, count)
  const { values, labels } = logTicks(1, largest, count)
  return { values: [0, ...values], labels: ['0', ...labels] }
}

/** The height of a count as a share of that of the largest one. */
export const countShare = (
  { isLog }: Pick<HistogramPlot, 'isLog'>,
  largest: number,
  count: number,
): number => (isLog ? Math.log1p(count) / Math.log1p(largest) : count / largest)

/** Where everything goes in a chart of `width` by `height` pixels. */
export function layOutHistograms(
  plot: HistogramPlot,
  width: number,
  height: number,
  pen: Pick<Pen, 'measureText' | 'font'>,
  font: string,
): HistogramLayout {
  pen.font = `${LABEL_PIXELS}px ${font}`
  const inner = Math.max(10, height - TOP - BOTTOM)
  const extent = placeExtent(plot.rows)
  const [lo, hi] = extent
  const isSingle = lo === hi
  const lines = Math.min(12, Math.max(2, Math.floor(inner / 34)))
  if (plot.look === 'bands') {
    const values = valueScale(plot, 0.05)
    const places = { lo: isSingle ? lo - 1 : lo, hi: isSingle ? hi + 1 : hi, isLog: false }
    const valueTicks = linearTicks(values.lo, values.hi, lines)
    const x = room(pen, valueTicks)
    const frame = Math.max(10, width - x - EDGE)
    return {
      outerWidth: width,
      x,
      y: TOP,
      width: frame,
      height: inner,
      values,
      valueTicks,
      places,
      countTicks: NO_TICKS,
      largestCount: 0,
      firstBaseline: TOP,
      ridges: [],
      placeTicks: within(
        extent,
        ticksOf(plot.axis, places, Math.max(1, Math.floor(frame / (plot.axis === 'absolute' ? 74 : 58)))),
      ),
    }
  }
  const values = valueScale(plot, 0.02)
  const isOffset = plot.look === 'offset'
  const places = { lo: isSingle ? lo - 1 : lo, hi, isLog: false }
  const tall = isOffset && !isSingle ? inner * RIDGE_PART : inner
  // Ticks are asked for in the share of the height that the baselines take.
  const placeTicks = isOffset
    ? within(extent, ticksOf(plot.axis, places, Math.max(2, Math.floor((inner - tall) / 26))))
    : NO_TICKS
  const estimate = Math.max(10, width - 2 * EDGE)
  const bins = Math.min(160, Math.max(30, Math.round(estimate / 6)))
  const parts = plot.rows.map(({ histogram }) => rebin(histogram, [values.lo, values.hi], bins))
  const largestCount =
    parts.reduce((most, counts) => counts.reduce((larger, count) => Math.max(larger, count), most), 0) || 1
  const countTicks = isOffset
    ? NO_TICKS
    : plot.isLog
      ? countsByTen(largestCount, lines)
      : linearTicks(0, largestCount, lines)
  const x = isOffset ? EDGE : room(pen, countTicks)
  const right = isOffset ? room(pen, placeTicks) : EDGE
  const frame = Math.max(10, width - x - right)
  return {
    outerWidth: width,
    x,
    y: TOP,
    width: frame,
    height: inner,
    values,
    places,
    placeTicks,
    countTicks,
    largestCount,
    firstBaseline: TOP + tall,
    valueTicks: linearTicks(values.lo, values.hi, Math.max(1, Math.floor(frame / 64))),
    ridges: plot.rows.map((row, i) => ({
      row,
      baseline: isOffset ? TOP + tall + (inner - tall) * fraction(places, row.at) : TOP + inner,
      heights: parts[i]!.map(
        (count) => countShare(plot, largestCount, count) * tall * (isOffset ? 1 : OVERLAY_PART),
      ),
    })),
  }
}

/** Pixels along the axis on which values lie. */
export function valuePixel(plot: HistogramPlot, layout: HistogramLayout, value: number): number {
  const part = fraction(layout.values, value)
  return plot.look === 'bands' ? layout.y + (1 - part) * layout.height : layout.x + part * layout.width
}

/** Pixels of a step or time along x, in the look `bands`. */
export const placePixel = (layout: HistogramLayout, at: number): number =>
  layout.x + fraction(layout.places, at) * layout.width

/** The height of a ridge at a pixel of x, along the line that is drawn. */
export function heightAt(layout: HistogramLayout, { heights }: Ridge, x: number): number {
  const position = ((x - layout.x) / layout.width) * heights.length - 0.5
  const left = Math.min(heights.length - 1, Math.max(0, Math.floor(position)))
  const right = Math.min(heights.length - 1, left + 1)
  const part = Math.min(1, Math.max(0, position - left))
  return heights[left]! * (1 - part) + heights[right]! * part
}
