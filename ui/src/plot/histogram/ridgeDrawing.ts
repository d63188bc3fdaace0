/** Draw histograms over training, and what is read in them. */

import type { ChartColours } from '@/base/theme'
import type { Pen } from '@/plot/pen'
import { fraction } from '@/plot/scale'
import type { Ticks } from '@/plot/ticks'
import type { Range } from '@/plot/zoom'
import { BANDS, nonFiniteOf, percentile } from './buckets'
import type { Histogram } from './histogram'
import { seriesOf, type HistogramReading } from './ridgeReading'
import {
  countShare,
  LABEL_PIXELS,
  OVERLAY_PART,
  placePixel,
  valuePixel,
  type HistogramLayout,
  type HistogramPlot,
  type Look,
  type Ridge,
  type Row,
} from './ridges'

/** More baselines than these only darken the chart. */
const MOST_BASELINES = 60

/** Draw the whole chart: grid, ridges or bands, axes. */
export function drawHistograms(
  pen: Pen,
  plot: HistogramPlot,
  layout: HistogramLayout,
  colours: ChartColours,
): void {
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
    : plot.look === 'overlay'
      ? layout.countTicks.values.map((count) => countPixel(plot, layout, count))
      : []
  for (const row of rows) {
    const y = Math.round(row) + 0.5
    pen.moveTo(layout.x, y)
    pen.lineTo(layout.x + layout.width, y)
  }
  pen.stroke()
  pen.restore()
}

const countPixel = (plot: HistogramPlot, layout: HistogramLayout, count: number): number =>
  layout.y + layout.height * (1 - countShare(plot, layout.largestCount, count) * OVERLAY_PART)

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

function drawBands(pen: Pen, plot: HistogramPlot, layout: HistogramLayout): void {
  for (const rows of seriesOf(plot.rows)) {
    const full = rows.filter(({ histogram }) => histogram.counts.length > 0)
    if (full.length === 0) continue
    // A single step has no width; a short bar stands for it.
    const half = full.length === 1 ? 6 : 0
    const xs = full.flatMap(({ at }) =>
      half ? [placePixel(layout, at) - half, placePixel(layout, at) + half] : [placePixel(layout, at)],
    )
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

const baselineOf = (layout: HistogramLayout, row: Row): number =>
  layout.ridges.find((ridge) => ridge.row === row)?.baseline ?? layout.y + layout.height

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
      pen.fillText(
        layout.placeTicks.labels[i]!,
        layout.x + layout.width + 6,
        top + (bottom - top) * fraction(layout.places, value),
      )
    })
    name(pen, plot.axisLabel, layout.outerWidth - 6, layout.y + 2)
  } else {
    const ticks = isBands ? layout.valueTicks : layout.countTicks
    pen.textAlign = 'right'
    ticks.values.forEach((value, i) =>
      pen.fillText(
        ticks.labels[i]!,
        layout.x - 6,
        isBands ? valuePixel(plot, layout, value) : countPixel(plot, layout, value),
      ),
    )
    if (plot.look === 'overlay') name(pen, plot.countLabel, layout.x + layout.width, layout.y)
  }
  const label = isBands ? plot.axisLabel : plot.valueLabel
  const end = layout.x + layout.width - pen.measureText(label).width - 10
  const ticks = isBands ? layout.placeTicks : layout.valueTicks
  drawBelow(pen, ticks, bottom, end, (value) =>
    isBands ? placePixel(layout, value) : valuePixel(plot, layout, value),
  )
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

function drawBelow(
  pen: Pen,
  ticks: Ticks,
  bottom: number,
  end: number,
  pixel: (value: number) => number,
): void {
  pen.textBaseline = 'top'
  pen.textAlign = 'center'
  let occupied = -Infinity
  ticks.values.forEach((value, i) => {
    const label = ticks.labels[i]!
    const half = pen.measureText(label).width / 2
    const x = Math.max(pixel(value), half + 2)
    if (x - half < occupied + 8 || x + half > end) return
    pen.fillText(label, x, bottom + 6)
    occupied = x + half
  })
}

/** What is read, drawn over the chart: the histogram as a whole and the bucket in it. */
export function drawReading(
  pen: Pen,
  plot: HistogramPlot,
  layout: HistogramLayout,
  readings: readonly HistogramReading[],
  colours: ChartColours,
): void {
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

export function bucketPixels(
  plot: HistogramPlot,
  layout: HistogramLayout,
  { edges }: Histogram,
  bucket: number,
): Range {
  return [valuePixel(plot, layout, edges[bucket]!), valuePixel(plot, layout, edges[bucket + 1]!)]
}
