/** Lay out and draw curves of right and wrong answers: both axes go from 0 to 1. */

import type { ChartColours } from '@/base/theme'
import type { Pen } from '@/plot/pen'
import { drawAxes, drawGrid, xPixel, yPixel, type Layout } from '@/plot/plot'
import { linearTicks } from '@/plot/ticks'
import type { Range } from '@/plot/zoom'
import type { PrRocKind, PrRocCurve } from './api'
import { pointAt } from './prRocCurves'

/** A curve with everything decided that drawing needs. */
export interface PrRocLine {
  readonly key: string
  readonly name: string
  readonly colour: string
  readonly dash: readonly number[]
  readonly answers: PrRocCurve
}

/** The part of the unit square that is shown. */
export interface PrRocBox {
  readonly x: Range
  readonly y: Range
}

export interface PrRocPlot {
  readonly kind: PrRocKind
  readonly lines: readonly PrRocLine[]
  /** null: all of it. */
  readonly box: PrRocBox | null
  readonly xLabel: string
  readonly yLabel: string
}

const LABEL_PIXELS = 11
const TOP = 18 // the name of the vertical axis stands above it
const BOTTOM = 22
const EDGE = 14
const NO_TICKS = { values: [], labels: [] }

/** A little air, so that curves along the border can be seen. */
const WHOLE: PrRocBox = { x: [-0.02, 1.02], y: [-0.02, 1.04] }

export function layOutPrRoc(
  { box }: PrRocPlot,
  width: number,
  height: number,
  pen: Pick<Pen, 'measureText' | 'font'>,
  font: string,
): Layout {
  pen.font = `${LABEL_PIXELS}px ${font}`
  const { x: across, y: up } = box ?? WHOLE
  const inner = Math.max(10, height - TOP - BOTTOM)
  const leftTicks = linearTicks(up[0], up[1], Math.max(2, Math.floor(inner / 34)))
  const x = Math.ceil(Math.max(20, ...leftTicks.labels.map((label) => pen.measureText(label).width))) + 12
  const frame = Math.max(10, width - x - EDGE)
  return {
    x,
    y: TOP,
    width: frame,
    height: inner,
    xScale: { lo: across[0], hi: across[1], isLog: false },
    left: { lo: up[0], hi: up[1], isLog: false },
    right: null,
    leftTicks,
    rightTicks: NO_TICKS,
    xTicks: linearTicks(across[0], across[1], Math.max(2, Math.floor(frame / 58))),
  }
}

export function drawPrRoc(pen: Pen, plot: PrRocPlot, layout: Layout, colours: ChartColours): void {
  drawGrid(pen, layout, colours)
  pen.save()
  pen.beginPath()
  pen.rect(layout.x, layout.y, layout.width, layout.height + 1)
  pen.clip()
  if (plot.kind === 'roc_curves') drawChance(pen, layout, colours)
  pen.lineJoin = 'round'
  const many = plot.lines.length > 20
  pen.globalAlpha = many ? 0.85 : 1
  for (const line of plot.lines) strokeAnswers(pen, layout, line, many ? 1.1 : 1.6)
  pen.globalAlpha = 1
  pen.restore()
  drawAxes(pen, plot, layout, colours)
  pen.save()
  pen.fillStyle = colours.text
  pen.font = `${LABEL_PIXELS}px ${colours.font}`
  pen.textAlign = 'left'
  pen.textBaseline = 'top'
  pen.globalAlpha = 0.8
  pen.fillText(plot.yLabel, 4, 1)
  pen.restore()
}

/** What guessing would give. */
function drawChance(pen: Pen, layout: Layout, colours: ChartColours): void {
  pen.strokeStyle = colours.axis
  pen.lineWidth = 1
  pen.setLineDash([3, 4])
  pen.beginPath()
  pen.moveTo(xPixel(layout, 0), yPixel(layout, 'left', 0))
  pen.lineTo(xPixel(layout, 1), yPixel(layout, 'left', 1))
  pen.stroke()
  pen.setLineDash([])
}

function strokeAnswers(
  pen: Pen,
  layout: Layout,
  { colour, dash, answers: { xs, ys } }: PrRocLine,
  width: number,
): void {
  pen.strokeStyle = colour
  pen.fillStyle = colour
  pen.lineWidth = width
  pen.setLineDash([...dash])
  pen.beginPath()
  const dots: number[] = []
  let isDown = false
  for (let i = 0; i < xs.length; i++) {
    const [x, y] = [xPixel(layout, xs[i]!), yPixel(layout, 'left', ys[i]!)]
    const isPoint = Number.isFinite(x) && Number.isFinite(y)
    if (isPoint && isDown) pen.lineTo(x, y)
    else if (isPoint) pen.moveTo(x, y)
    if (isPoint) dots.push(x, y)
    isDown = isPoint
  }
  pen.stroke()
  pen.setLineDash([])
  // Few points are marked, and a single one could not be seen otherwise.
  if (dots.length > 2 * 24) return
  pen.beginPath()
  for (let i = 0; i < dots.length; i += 2) {
    pen.moveTo(dots[i]! + width + 0.8, dots[i + 1]!)
    pen.arc(dots[i]!, dots[i + 1]!, width + 0.8, 0, 2 * Math.PI)
  }
  pen.fill()
}

export interface PrRocReading {
  readonly line: PrRocLine
  readonly point: number
  readonly pixelX: number
  readonly pixelY: number
}

/** The threshold of the drawn point nearest to a place in pixels; null when nothing is drawn. */
export function thresholdNear(plot: PrRocPlot, layout: Layout, x: number, y: number): number | null {
  let [best, threshold]: [number, number | null] = [Infinity, null]
  for (const {
    answers: { xs, ys, thresholds },
  } of plot.lines) {
    for (let i = 0; i < xs.length; i++) {
      const distance = Math.hypot(xPixel(layout, xs[i]!) - x, yPixel(layout, 'left', ys[i]!) - y)
      if (distance < best) [best, threshold] = [distance, thresholds[i]!]
    }
  }
  return threshold
}

/** Every curve at its point nearest to `threshold`. */
export function readPrRoc(plot: PrRocPlot, layout: Layout, threshold: number): readonly PrRocReading[] {
  return plot.lines.flatMap((line) => {
    const { thresholds, xs, ys } = line.answers
    const point = pointAt(thresholds, threshold)
    return point < 0
      ? []
      : [{ line, point, pixelX: xPixel(layout, xs[point]!), pixelY: yPixel(layout, 'left', ys[point]!) }]
  })
}

/** Marks on the curves where they are read. */
export function drawPrRocReadings(
  pen: Pen,
  layout: Layout,
  readings: readonly PrRocReading[],
  colours: ChartColours,
): void {
  for (const { line, pixelX, pixelY } of readings) {
    const isInside =
      pixelX >= layout.x - 1 &&
      pixelX <= layout.x + layout.width + 1 &&
      pixelY >= layout.y - 1 &&
      pixelY <= layout.y + layout.height + 1
    if (!isInside) continue
    pen.beginPath()
    pen.arc(pixelX, pixelY, 4, 0, 2 * Math.PI)
    pen.fillStyle = line.colour
    pen.fill()
    pen.strokeStyle = colours.surface
    pen.lineWidth = 1.4
    pen.stroke()
  }
}
