/** Lay out and draw histograms over training: as ridges behind or over each other, or as bands of percentiles. */

import type { Histogram } from '@/api/histograms'
import { BANDS, bucketAt, nonFiniteOf, percentile, rebin, valueExtent } from './buckets'
import type { AxisKind } from './curves'
import type { Pen } from './pen'
import { ticksOf, type ChartColours } from './plot'
import { fraction, valueAt, type Scale } from './scale'
import { linearTicks, type Ticks } from './ticks'
import type { Range } from './zoom'

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

const LABEL_PIXELS = 11
const TOP = 8
const BOTTOM = 22
const EDGE = 12
/** How much of the height the tallest ridge takes when there are many. */
const RIDGE_PART = 0.42
/** More baselines than these only darken the chart. */
const MOST_BASELINES = 60
const NO_TICKS: Ticks = { values: [], labels: [] }

function placeExtent(rows: readonly Row[]): Range {
  const lo = rows.reduce((least, { at }) => Math.min(least, at), Infinity)
  const hi = rows.reduce((most, { at }) => Math.max(most, at), -Infinity)
  return lo <= hi ? [lo, hi] : [0, 1]
}

/** Ticks only where there are steps: around a single one the axis is made up. */
function within([lo, hi]: Range, { values, labels }: Ticks): Ticks {
  const kept = values.map((value) => value >= lo && value <= hi)
  return { values: values.filter((_, i) => kept[i]), labels: labels.filter((_, i) => kept[i]) }
}

function valueScale(rows: readonly Row[], air: number): Scale {
  const extent = valueExtent(rows.map(({ histogram }) => histogram)) ?? [0, 1]
  const [lo, hi] = extent
  // All values are the same: they stand in the middle.
  const space = lo === hi ? Math.abs(lo) * 0.1 || 1 : (hi - lo) * air
  return { lo: lo - space, hi: hi + space, isLog: false }
}

const room = (pen: Pick<Pen, 'measureText'>, ticks: Ticks): number =>
  Math.ceil(Math.max(24, ...ticks.labels.map((label) => pen.measureText(label).width))) + 12

/** Where everything goes in a chart of `width` by `height` pixels. */
export function layOutHistograms(plot: HistogramPlot, width: number, height: number, pen: Pick<Pen, 'measureText' | 'font'>, font: string): HistogramLayout {
  pen.font = `${LABEL_PIXELS}px ${font}`
  const inner = Math.max(10, height - TOP - BOTTOM)
  const extent = placeExtent(plot.rows)
  const [lo, hi] = extent
  const isSingle = lo === hi
  const lines = Math.min(12, Math.max(2, Math.floor(inner / 34)))
  if (plot.look === 'bands') {
    const values = valueScale(plot.rows, 0.05)
    const places = { lo: isSingle ? lo - 1 : lo, hi: isSingle ? hi + 1 : hi, isLog: false }
    const valueTicks = linearTicks(values.lo, values.hi, lines)
    const x = room(pen, valueTicks)
    const frame = Math.max(10, width - x - EDGE)
    return {
      outerWidth: width, x, y: TOP, width: frame, height: inner, values, valueTicks, places, countTicks: NO_TICKS, largestCount: 0, firstBaseline: TOP, ridges: [],
      placeTicks: within(extent, ticksOf(plot.axis, places, Math.max(1, Math.floor(frame / (plot.axis === 'absolute' ? 74 : 58))))),
    }
  }
  const values = valueScale(plot.rows, 0.02)
  const isOffset = plot.look === 'offset'
  const places = { lo: isSingle ? lo - 1 : lo, hi, isLog: false }
  const tall = isOffset && !isSingle ? inner * RIDGE_PART : inner
  // Ticks are asked for in the share of the height that the baselines take.
  const placeTicks = isOffset ? within(extent, ticksOf(plot.axis, places, Math.max(2, Math.floor((inner - tall) / 26)))) : NO_TICKS
  const estimate = Math.max(10, width - 2 * EDGE)
  const bins = Math.min(160, Math.max(30, Math.round(estimate / 6)))
  const parts = plot.rows.map(({ histogram }) => rebin(histogram, [values.lo, values.hi], bins))
  const largestCount = parts.reduce((most, counts) => counts.reduce((larger, count) => Math.max(larger, count), most), 0) || 1
  const countTicks = isOffset ? NO_TICKS : linearTicks(0, largestCount, lines)
  const x = isOffset ? EDGE : room(pen, countTicks)
  const right = isOffset ? room(pen, placeTicks) : EDGE
  const frame = Math.max(10, width - x - right)
  return {
    outerWidth: width, x, y: TOP, width: frame, height: inner, values, places, placeTicks, countTicks, largestCount, firstBaseline: TOP + tall,
    valueTicks: linearTicks(values.lo, values.hi, Math.max(1, Math.floor(frame / 64))),
    ridges: plot.rows.map((row, i) => ({
      row,
      baseline: isOffset ? TOP + tall + (inner - tall) * fraction(places, row.at) : TOP + inner,
      heights: parts[i]!.map((count) => (count / largestCount) * tall * (isOffset ? 1 : 0.98)),
    })),
  }
}

/** Pixels along the axis on which values lie. */
export function valuePixel(plot: HistogramPlot, layout: HistogramLayout, value: number): number {
  const part = fraction(layout.values, value)
  return plot.look === 'bands' ? layout.y + (1 - part) * layout.height : layout.x + part * layout.width
}

/** Pixels of a step or time along x, in the look `bands`. */
export const placePixel = (layout: HistogramLayout, at: number): number => layout.x + fraction(layout.places, at) * layout.width

/** The height of a ridge at a pixel of x, along the line that is drawn. */
export function heightAt(layout: HistogramLayout, { heights }: Ridge, x: number): number {
  const position = ((x - layout.x) / layout.width) * heights.length - 0.5
  const left = Math.min(heights.length - 1, Math.max(0, Math.floor(position)))
  const right = Math.min(heights.length - 1, left + 1)
  const part = Math.min(1, Math.max(0, position - left))
  return heights[left]! * (1 - part) + heights[right]! * part
}

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

const nearestOf = (rows: readonly Row[], at: number): Row =>
  rows.reduce((best, row) => (Math.abs(row.at - at) < Math.abs(best.at - at) ? row : best))

/** `chosen` and, of every other series, the row nearest to it, each with the bucket that holds `value`. */
export function readRows(plot: HistogramPlot, chosen: Row, value: number): readonly HistogramReading[] {
  return seriesOf(plot.rows).map((rows) => {
    const row = rows[0]!.key === chosen.key ? chosen : nearestOf(rows, chosen.at)
    return { row, bucket: bucketAt(row.histogram, value), isChosen: row === chosen }
  })
}

/** Draw the whole chart: grid, ridges or bands, axes. */
export function drawHistograms(pen: Pen, plot: HistogramPlot, layout: HistogramLayout, colours: ChartColours): void {
  drawGrid(pen, plot, layout, colours)
  pen.save()
  pen.beginPath()
  pen.rect(layout.x, layout.y - 1, layout.width, layout.height + 2)
  pen.clip()
  pen.lineJoin = 'round'
  if (plot.look === 'bands') drawBands(pen, plot, layout)
  else for (const ridge of layout.ridges) drawRidge(pen, plot.look, layout, ridge, colours)
  pen.restore()
  drawOdd(pen, plot, layout, colours)
  drawAxes(pen, plot, layout, colours)
}

function drawGrid(pen: Pen, plot: HistogramPlot, layout: HistogramLayout, colours: ChartColours): void {
  const isBands = plot.look === 'bands'
  pen.save()
  pen.strokeStyle = colours.grid
  pen.lineWidth = 1
  pen.beginPath()
  for (const value of isBands ? layout.placeTicks.values : layout.valueTicks.values) {
    const x = Math.round(isBands ? placePixel(layout, value) : valuePixel(plot, layout, value)) + 0.5
    pen.moveTo(x, layout.y)
    pen.lineTo(x, layout.y + layout.height)
  }
  const rows = isBands
    ? layout.valueTicks.values.map((value) => valuePixel(plot, layout, value))
    : plot.look === 'overlay' ? layout.countTicks.values.map((count) => countPixel(layout, count)) : []
  for (const row of rows) {
    const y = Math.round(row) + 0.5
    pen.moveTo(layout.x, y)
    pen.lineTo(layout.x + layout.width, y)
  }
  pen.stroke()
  pen.restore()
}

const countPixel = (layout: HistogramLayout, count: number): number => layout.y + layout.height * (1 - (count / layout.largestCount) * 0.98)

/** The outline of a ridge from left to right. */
function traceRidge(pen: Pen, layout: HistogramLayout, { baseline, heights }: Ridge): void {
  const step = layout.width / heights.length
  pen.moveTo(layout.x, baseline - heights[0]!)
  heights.forEach((height, i) => pen.lineTo(layout.x + (i + 0.5) * step, baseline - height))
  pen.lineTo(layout.x + layout.width, baseline - heights.at(-1)!)
}

/** The outline without its flat parts on the baseline: those of many steps would be one block. */
function traceHills(pen: Pen, layout: HistogramLayout, { baseline, heights }: Ridge): void {
  const step = layout.width / heights.length
  let isDown = true
  for (let i = 0; i < heights.length; i++) {
    if (heights[i] === 0 && !(heights[i - 1]! > 0) && !(heights[i + 1]! > 0)) {
      isDown = true
      continue
    }
    const x = layout.x + (i + 0.5) * step
    if (isDown) pen.moveTo(x, baseline - heights[i]!)
    else pen.lineTo(x, baseline - heights[i]!)
    isDown = false
  }
}

function drawRidge(pen: Pen, look: Look, layout: HistogramLayout, ridge: Ridge, colours: ChartColours): void {
  const { row, baseline } = ridge
  if (look === 'offset') {
    pen.beginPath()
    traceRidge(pen, layout, ridge)
    pen.lineTo(layout.x + layout.width, baseline)
    pen.lineTo(layout.x, baseline)
    pen.closePath()
    // The surface hides what lies behind, the colour over it gets stronger towards the present.
    pen.globalAlpha = 0.75
    pen.fillStyle = colours.surface
    pen.fill()
    pen.globalAlpha = 0.12 + 0.4 * row.age
    pen.fillStyle = row.colour
    pen.fill()
    if (layout.ridges.length <= MOST_BASELINES) drawBaseline(pen, layout, ridge)
  }
  pen.beginPath()
  traceHills(pen, layout, ridge)
  pen.globalAlpha = look === 'offset' ? 0.55 + 0.45 * row.age : 0.2 + 0.8 * row.age ** 1.5
  pen.strokeStyle = row.colour
  pen.lineWidth = look === 'overlay' && row.age === 1 ? 1.8 : 1
  pen.setLineDash([...row.dash])
  pen.stroke()
  pen.setLineDash([])
  pen.globalAlpha = 1
}

function drawBaseline(pen: Pen, layout: HistogramLayout, { row, baseline }: Ridge): void {
  pen.globalAlpha = 0.25
  pen.strokeStyle = row.colour
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(layout.x, baseline)
  pen.lineTo(layout.x + layout.width, baseline)
  pen.stroke()
}

function seriesOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  const found = new Map<string, Row[]>()
  for (const row of rows) {
    const own = found.get(row.key)
    if (own) own.push(row)
    else found.set(row.key, [row])
  }
  return [...found.values()]
}

function drawBands(pen: Pen, plot: HistogramPlot, layout: HistogramLayout): void {
  for (const rows of seriesOf(plot.rows)) {
    const full = rows.filter(({ histogram }) => histogram.counts.length > 0)
    if (full.length === 0) continue
    // A single step has no width; a short bar stands for it.
    const half = full.length === 1 ? 6 : 0
    const xs = full.flatMap(({ at }) => (half ? [placePixel(layout, at) - half, placePixel(layout, at) + half] : [placePixel(layout, at)]))
    const line = (part: number): number[] =>
      full.flatMap(({ histogram }) => {
        const y = valuePixel(plot, layout, percentile(histogram, part))
        return half ? [y, y] : [y]
      })
    const edges = BANDS.map(line)
    pen.fillStyle = full[0]!.colour
    pen.globalAlpha = 0.17
    for (let band = 0; band < (BANDS.length - 1) / 2; band++) {
      const [lower, upper] = [edges[band]!, edges[BANDS.length - 1 - band]!]
      pen.beginPath()
      xs.forEach((x, i) => (i === 0 ? pen.moveTo(x, lower[i]!) : pen.lineTo(x, lower[i]!)))
      for (let i = xs.length - 1; i >= 0; i--) pen.lineTo(xs[i]!, upper[i]!)
      pen.closePath()
      pen.fill()
    }
    pen.globalAlpha = 1
    pen.strokeStyle = full[0]!.colour
    const middle = edges[(BANDS.length - 1) / 2]!
    pen.lineWidth = 1.6
    pen.setLineDash([...full[0]!.dash])
    pen.beginPath()
    xs.forEach((x, i) => (i === 0 ? pen.moveTo(x, middle[i]!) : pen.lineTo(x, middle[i]!)))
    pen.stroke()
    pen.setLineDash([])
  }
}

/** A triangle in the warning colour at each step that has NaN or infinities. */
function drawOdd(pen: Pen, plot: HistogramPlot, layout: HistogramLayout, colours: ChartColours): void {
  if (plot.look === 'overlay') return
  pen.save()
  pen.fillStyle = colours.danger
  for (const row of plot.rows) {
    if (nonFiniteOf(row.histogram) === 0) continue
    pen.beginPath()
    if (plot.look === 'bands') {
      const x = placePixel(layout, row.at)
      const y = layout.y + layout.height
      pen.moveTo(x, y - 7)
      pen.lineTo(x - 4, y)
      pen.lineTo(x + 4, y)
    } else {
      const y = baselineOf(layout, row)
      pen.moveTo(layout.x - 2, y)
      pen.lineTo(layout.x - 9, y - 4)
      pen.lineTo(layout.x - 9, y + 4)
    }
    pen.closePath()
    pen.fill()
  }
  pen.restore()
}

const baselineOf = (layout: HistogramLayout, row: Row): number => layout.ridges.find((ridge) => ridge.row === row)?.baseline ?? layout.y + layout.height

function drawAxes(pen: Pen, plot: HistogramPlot, layout: HistogramLayout, colours: ChartColours): void {
  const isBands = plot.look === 'bands'
  const bottom = layout.y + layout.height
  pen.save()
  pen.strokeStyle = colours.axis
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(layout.x, Math.round(bottom) + 0.5)
  pen.lineTo(layout.x + layout.width, Math.round(bottom) + 0.5)
  pen.stroke()
  pen.fillStyle = colours.text
  pen.font = `${LABEL_PIXELS}px ${colours.font}`
  pen.textBaseline = 'middle'
  if (plot.look === 'offset') {
    const { firstBaseline: top } = layout
    pen.textAlign = 'left'
    layout.placeTicks.values.forEach((value, i) => {
      pen.fillText(layout.placeTicks.labels[i]!, layout.x + layout.width + 6, top + (bottom - top) * fraction(layout.places, value))
    })
    name(pen, plot.axisLabel, layout.outerWidth - 6, layout.y + 2)
  } else {
    const ticks = isBands ? layout.valueTicks : layout.countTicks
    pen.textAlign = 'right'
    ticks.values.forEach((value, i) => pen.fillText(ticks.labels[i]!, layout.x - 6, isBands ? valuePixel(plot, layout, value) : countPixel(layout, value)))
    if (plot.look === 'overlay') name(pen, plot.countLabel, layout.x + layout.width, layout.y)
  }
  const label = isBands ? plot.axisLabel : plot.valueLabel
  const end = layout.x + layout.width - pen.measureText(label).width - 10
  const ticks = isBands ? layout.placeTicks : layout.valueTicks
  drawBelow(pen, ticks, bottom, end, (value) => (isBands ? placePixel(layout, value) : valuePixel(plot, layout, value)))
  name(pen, label, layout.x + layout.width, bottom + 6)
  pen.restore()
}

/** The name of an axis, ending at `x`. */
function name(pen: Pen, text: string, x: number, y: number): void {
  pen.textBaseline = 'top'
  pen.textAlign = 'right'
  pen.globalAlpha = 0.8
  pen.fillText(text, x, y)
  pen.globalAlpha = 1
}

function drawBelow(pen: Pen, ticks: Ticks, bottom: number, end: number, pixel: (value: number) => number): void {
  pen.textBaseline = 'top'
  pen.textAlign = 'center'
  let taken = -Infinity
  ticks.values.forEach((value, i) => {
    const label = ticks.labels[i]!
    const half = pen.measureText(label).width / 2
    const x = Math.max(pixel(value), half + 2)
    if (x - half < taken + 8 || x + half > end) return
    pen.fillText(label, x, bottom + 6)
    taken = x + half
  })
}

/** What is read, drawn over the chart: the histogram as a whole and the bucket in it. */
export function drawReading(pen: Pen, plot: HistogramPlot, layout: HistogramLayout, readings: readonly HistogramReading[], colours: ChartColours): void {
  pen.save()
  pen.lineJoin = 'round'
  for (const { row, bucket, isChosen } of readings) {
    if (plot.look === 'bands') {
      if (!isChosen) continue
      const x = Math.round(placePixel(layout, row.at)) + 0.5
      pen.strokeStyle = colours.text
      pen.globalAlpha = 0.6
      pen.lineWidth = 1
      pen.beginPath()
      pen.moveTo(x, layout.y)
      pen.lineTo(x, layout.y + layout.height)
      pen.stroke()
      pen.globalAlpha = 1
      continue
    }
    const ridge = layout.ridges.find((candidate) => candidate.row === row)
    if (!ridge) continue
    pen.globalAlpha = isChosen ? 1 : 0.7
    pen.strokeStyle = row.colour
    pen.lineWidth = isChosen ? 2.2 : 1.4
    pen.beginPath()
    traceRidge(pen, layout, ridge)
    pen.stroke()
    if (isChosen && bucket >= 0) {
      const [from, to] = bucketPixels(plot, layout, row.histogram, bucket)
      pen.fillStyle = colours.text
      pen.globalAlpha = 0.14
      pen.fillRect(from, layout.y, Math.max(1, to - from), ridge.baseline - layout.y)
      pen.globalAlpha = 0.9
      pen.fillRect(from, ridge.baseline - 1, Math.max(2, to - from), 2)
    }
  }
  pen.restore()
}

export function bucketPixels(plot: HistogramPlot, layout: HistogramLayout, { edges }: Histogram, bucket: number): Range {
  return [valuePixel(plot, layout, edges[bucket]!), valuePixel(plot, layout, edges[bucket + 1]!)]
}
