/** Lay out a line chart and draw it with any pen. */

import type { ChartColours } from '@/base/theme'
import type { Curve } from './curve'
import { lowerBound, type AxisKind, type Band, type Line, type Side, type Values } from './curves'
import type { Pen } from './pen'
import { fraction, padded, valueAt, xExtent, yExtent, type Scale } from './scale'
import { durationTicks, linearTicks, logTicks, timeTicks, type Ticks } from './ticks'
import type { Box, Range } from './zoom'

export interface Limits {
  readonly lower: number | null
  readonly upper: number | null
}

/** What stands on the horizontal axis: steps, times, or the values of another scalar. */
export type PlotAxis = AxisKind | 'value'

export interface Plot<C extends Values = Curve> {
  readonly lines: readonly Line<C>[]
  /** Between some of the lines. */
  readonly bands?: readonly Band<C>[]
  /** The lines of all charts that share their scales, its own among them. */
  readonly together?: readonly Line<C>[]
  readonly axis: PlotAxis
  readonly isLogX?: boolean
  readonly box: Box | null
  readonly isLog: boolean
  readonly ignoreOutliers: boolean
  readonly limits: Limits
  /** Values that are never negative are drawn from zero. */
  readonly fromZero?: boolean
  readonly xLabel: string
  /** A place on the horizontal axis to point at, with what it is. */
  readonly mark?: { readonly x: number; readonly text: string } | null
}

/** The frame of the curves in pixels, and the scales inside it. */
export interface Layout {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly xScale: Scale
  readonly left: Scale | null
  readonly right: Scale | null
  readonly xTicks: Ticks
  readonly leftTicks: Ticks
  readonly rightTicks: Ticks
}

/** From so many lines on, one of them is found only when it is pointed at. */
export const MANY_LINES = 20

/** How many of the lines are curves and not borders of bands. */
export const curveCount = (lines: readonly Line<Values>[]): number =>
  lines.reduce((count, { bound }) => count + (bound ? 0 : 1), 0)

const LABEL_PIXELS = 11
const TOP = 8
const BOTTOM = 22
const EDGE = 10

const NO_TICKS: Ticks = { values: [], labels: [] }

/** Ticks of a horizontal axis. */
export function ticksOf(axis: PlotAxis, scale: Scale, count: number): Ticks {
  if (scale.isLog) return logTicks(scale.lo, scale.hi, count)
  switch (axis) {
    case 'value':
      return linearTicks(scale.lo, scale.hi, count)
    case 'step':
      return linearTicks(scale.lo, scale.hi, count, true)
    case 'relative':
      return durationTicks(scale.lo, scale.hi, count)
    case 'absolute':
      return timeTicks(scale.lo, scale.hi, count)
  }
}

function xScaleOf(plot: Plot<Values>): Scale {
  const isLog = plot.isLogX ?? false
  if (plot.box && (!isLog || plot.box.x[0] > 0)) return { lo: plot.box.x[0], hi: plot.box.x[1], isLog }
  const lines = plot.together ?? plot.lines
  if (isLog) return padded(xExtent(lines, true) ?? [1, 10], true, 0.01)
  const extent = xExtent(lines) ?? [0, 1]
  if (extent[0] === extent[1]) return { lo: extent[0] - 1, hi: extent[1] + 1, isLog: false }
  const air = (extent[1] - extent[0]) * 0.01
  return { lo: extent[0] - air, hi: extent[1] + air, isLog: false }
}

function yScaleOf(plot: Plot<Values>, side: Side, within: Range): Scale | null {
  const lines = plot.together ?? plot.lines
  if (!lines.some((line) => line.side === side)) return null
  const fixed = plot.box?.[side]
  if (fixed && (!plot.isLog || fixed[0] > 0)) return { lo: fixed[0], hi: fixed[1], isLog: plot.isLog }
  const { isLog, ignoreOutliers } = plot
  const extent = yExtent(lines, { side, within, isLog, ignoreOutliers })
  if (extent && plot.fromZero && !isLog && extent[0] >= 0 && extent[1] > 0)
    return { lo: 0, hi: 1.05 * extent[1], isLog }
  return extent ? padded(extent, isLog) : { lo: isLog ? 0.1 : 0, hi: 1, isLog }
}

/** Where everything goes in a chart of `width` by `height` pixels. */
export function layOut(
  plot: Plot<Values>,
  width: number,
  height: number,
  pen: Pick<Pen, 'measureText' | 'font'>,
  font: string,
): Layout {
  pen.font = `${LABEL_PIXELS}px ${font}`
  const inner = Math.max(10, height - TOP - BOTTOM)
  const xScale = xScaleOf(plot)
  const within: Range = [xScale.lo, xScale.hi]
  const rows = Math.min(12, Math.max(2, Math.floor(inner / 34)))
  const yTicks = (scale: Scale | null): Ticks =>
    scale === null
      ? NO_TICKS
      : scale.isLog
        ? logTicks(scale.lo, scale.hi, rows)
        : linearTicks(scale.lo, scale.hi, rows)
  const room = (ticks: Ticks): number =>
    ticks.labels.length === 0
      ? EDGE
      : Math.ceil(Math.max(24, ...ticks.labels.map((label) => pen.measureText(label).width))) + 12

  const left = yScaleOf(plot, 'left', within)
  const right = yScaleOf(plot, 'right', within)
  const leftTicks = yTicks(left)
  const rightTicks = yTicks(right)
  const x = left ? room(leftTicks) : EDGE + 4
  const frame = Math.max(10, width - x - (right ? room(rightTicks) : EDGE + 4))
  const labelWidth = plot.axis === 'absolute' ? 74 : 58
  return {
    x,
    y: TOP,
    width: frame,
    height: inner,
    xScale,
    left,
    right,
    leftTicks,
    rightTicks,
    xTicks: ticksOf(plot.axis, xScale, Math.max(1, Math.floor(frame / labelWidth))),
  }
}

export const xPixel = (layout: Layout, x: number): number =>
  layout.x + fraction(layout.xScale, x) * layout.width

export function yPixel(layout: Layout, side: Side, y: number): number {
  const scale = layout[side]
  return scale ? layout.y + (1 - fraction(scale, y)) * layout.height : NaN
}

export const xValue = (layout: Layout, pixel: number): number =>
  valueAt(layout.xScale, (pixel - layout.x) / layout.width)

export function yValue(layout: Layout, side: Side, pixel: number): number {
  const scale = layout[side]
  return scale ? valueAt(scale, 1 - (pixel - layout.y) / layout.height) : NaN
}

/** A line of one pixel of the screen: browsers draw those many times faster than wider ones. */
const hairline = (): number => 1 / Math.min(globalThis.devicePixelRatio || 1, 3)

/** Draw the whole chart: grid, curves, marks, axes. */
export function drawPlot(pen: Pen, plot: Plot<Values>, layout: Layout, colours: ChartColours): void {
  drawGrid(pen, layout, colours)
  pen.save()
  pen.beginPath()
  pen.rect(layout.x, layout.y - 1, layout.width, layout.height + 2)
  pen.clip()
  pen.lineJoin = 'round'
  pen.lineCap = 'butt'
  for (const band of plot.bands ?? []) fillBand(pen, layout, band)
  // Many curves are thinner and fainter, or they become one block.
  const count = curveCount(plot.lines)
  const many = count > MANY_LINES
  const veryMany = count > 10 * MANY_LINES
  for (const line of plot.lines) {
    if (!line.isSmoothed || line.bound) continue
    pen.globalAlpha = many ? 0.12 : 0.28
    strokeLine(pen, layout, line, line.curve.values, veryMany ? hairline() : 1)
  }
  for (const line of plot.lines) {
    pen.globalAlpha = line.bound ? 0.45 : veryMany ? 0.45 : many ? 0.85 : 1
    strokeLine(pen, layout, line, line.ys, line.bound ? 0.8 : veryMany ? hairline() : many ? 1 : 1.6)
  }
  pen.globalAlpha = 1
  drawBeyond(pen, plot, layout, colours)
  pen.restore()
  // The border of a band may be missing in places, which is no value of anything.
  for (const line of plot.lines) if (!line.bound) drawOdd(pen, layout, line)
  drawAxes(pen, plot, layout, colours)
  if (plot.mark) drawMark(pen, layout, plot.mark, colours)
}

function drawMark(
  pen: Pen,
  layout: Layout,
  { x: value, text }: NonNullable<Plot['mark']>,
  colours: ChartColours,
): void {
  const x = Math.round(xPixel(layout, value)) + 0.5
  const right = layout.x + layout.width
  if (x < layout.x || x > right) return
  pen.save()
  pen.strokeStyle = colours.accent
  pen.lineWidth = 1.2
  pen.setLineDash([4, 3])
  pen.beginPath()
  pen.moveTo(x, layout.y)
  pen.lineTo(x, layout.y + layout.height)
  pen.stroke()
  pen.setLineDash([])
  pen.font = `600 ${LABEL_PIXELS}px ${colours.font}`
  pen.textBaseline = 'top'
  const { width } = pen.measureText(text)
  const isLeft = x + 6 + width > right
  // Readable over whatever curve runs there.
  pen.fillStyle = colours.surface
  pen.fillRect(isLeft ? x - width - 8 : x + 2, layout.y, width + 6, LABEL_PIXELS + 5)
  pen.fillStyle = colours.accent
  pen.textAlign = isLeft ? 'right' : 'left'
  pen.fillText(text, x + (isLeft ? -5 : 5), layout.y + 3)
  pen.restore()
}

/** Draw one line once more, above all others. */
export function drawForemost(pen: Pen, layout: Layout, line: Line<Values>, colours: ChartColours): void {
  pen.save()
  pen.beginPath()
  pen.rect(layout.x, layout.y - 1, layout.width, layout.height + 2)
  pen.clip()
  pen.lineJoin = 'round'
  pen.globalAlpha = 0.8
  strokeLine(pen, layout, { ...line, colour: colours.surface, dash: [] }, line.ys, 5)
  pen.globalAlpha = 1
  strokeLine(pen, layout, line, line.ys, 2.4)
  pen.restore()
}

export function drawGrid(pen: Pen, layout: Layout, colours: ChartColours): void {
  pen.save()
  pen.strokeStyle = colours.grid
  pen.lineWidth = 1
  pen.beginPath()
  const side: Side = layout.left ? 'left' : 'right'
  for (const value of (layout.left ? layout.leftTicks : layout.rightTicks).values) {
    const y = Math.round(yPixel(layout, side, value)) + 0.5
    pen.moveTo(layout.x, y)
    pen.lineTo(layout.x + layout.width, y)
  }
  for (const value of layout.xTicks.values) {
    const x = Math.round(xPixel(layout, value)) + 0.5
    pen.moveTo(x, layout.y)
    pen.lineTo(x, layout.y + layout.height)
  }
  pen.stroke()
  pen.restore()
}

/** Positions of `line` to draw: all in view and one on both sides. */
function visible(line: Line<Values>, scale: Scale): readonly [number, number] {
  if (!line.isOrdered) return [0, line.xs.length]
  const from = Math.max(0, lowerBound(line.xs, scale.lo) - 1)
  const to = Math.min(line.xs.length, lowerBound(line.xs, scale.hi) + 2)
  return [from, Math.max(from, to)]
}

/** Fill between two lines. Their points need not be at the same places: one is followed there, the other back. */
function fillBand(pen: Pen, layout: Layout, { lower, upper, colour }: Band<Values>): void {
  const there = borderPixels(layout, upper)
  const back = borderPixels(layout, lower)
  if (there.length === 0 || back.length === 0) return
  pen.fillStyle = colour
  pen.globalAlpha = 0.16
  pen.beginPath()
  for (let i = 0; i < there.length; i += 2) {
    if (i === 0) pen.moveTo(there[i]!, there[i + 1]!)
    else pen.lineTo(there[i]!, there[i + 1]!)
  }
  for (let i = back.length - 2; i >= 0; i -= 2) pen.lineTo(back[i]!, back[i + 1]!)
  pen.closePath()
  pen.fill()
  pen.globalAlpha = 1
}

/** The places of the points that can be drawn, x and y in turn; on a logarithmic axis, what is not above zero lies below all. */
function borderPixels(layout: Layout, line: Line<Values>): number[] {
  const [from, to] = visible(line, layout.xScale)
  const places: number[] = []
  for (let i = from; i < to; i++) {
    const isBelow = layout[line.side]?.isLog && line.ys[i]! <= 0
    const [x, y] = [
      xPixel(layout, line.xs[i]!),
      isBelow ? 5 * layout.height : yPixel(layout, line.side, line.ys[i]!),
    ]
    if (Number.isFinite(x) && Number.isFinite(y))
      places.push(x, Math.min(Math.max(y, layout.y - 4 * layout.height), layout.y + 5 * layout.height))
  }
  return places
}

function strokeLine(pen: Pen, layout: Layout, line: Line<Values>, ys: Float64Array, width: number): void {
  pen.strokeStyle = line.colour
  pen.fillStyle = line.colour
  pen.lineWidth = width
  pen.setLineDash([...line.dash])
  pen.beginPath()
  const dots = tracePath(pen, layout, line, ys)
  pen.stroke()
  pen.setLineDash([])
  if (dots.length === 0) return
  pen.beginPath()
  for (let i = 0; i < dots.length; i += 2) {
    pen.moveTo(dots[i]! + width + 0.8, dots[i + 1]!)
    pen.arc(dots[i]!, dots[i + 1]!, width + 0.8, 0, 2 * Math.PI)
  }
  pen.fill()
}

/**
 * Add `ys` to the path and return the pixels of points that need a dot: they have no neighbour, or points are few.
 * Points in one column of pixels are drawn as its first, lowest, highest and last: the same picture with less ink.
 */
function tracePath(pen: Pen, layout: Layout, line: Line<Values>, ys: Float64Array): number[] {
  const scale = layout[line.side]
  const dots: number[] = []
  if (!scale) return dots
  const { xs } = line
  const [from, to] = visible(line, layout.xScale)
  const few = (to - from) * 14 < layout.width
  const breaks = new Set(line.breaks)
  let run = 0 // points since the path was last interrupted
  let column = NaN
  let px = 0
  let py = 0
  let low = 0
  let high = 0
  let hasMore = false // the column has points after its first one
  const flush = (): void => {
    if (!hasMore) return
    if (low !== py || high !== py) {
      pen.lineTo(px, high)
      pen.lineTo(px, low)
    }
    pen.lineTo(px, py)
    hasMore = false
  }
  const lift = (): void => {
    flush()
    if (run === 1 && !few) dots.push(px, py)
    run = 0
  }
  for (let i = from; i < to; i++) {
    if (breaks.has(i)) lift()
    const x = xPixel(layout, xs[i]!)
    const y = yPixel(layout, line.side, ys[i]!)
    if (!Number.isFinite(y) || !Number.isFinite(x)) {
      lift()
      continue
    }
    // Far outside the frame the exact place does not matter, but huge coordinates would overflow the canvas.
    const bounded = Math.min(Math.max(y, layout.y - 4 * layout.height), layout.y + 5 * layout.height)
    const here = Math.floor(x * 2)
    if (few) dots.push(x, bounded)
    if (run === 0) {
      pen.moveTo(x, bounded)
    } else if (here === column) {
      low = hasMore ? Math.max(low, bounded) : Math.max(py, bounded)
      high = hasMore ? Math.min(high, bounded) : Math.min(py, bounded)
      hasMore = true
      px = x
      py = bounded
      run++
      continue
    } else {
      flush()
      pen.lineTo(x, bounded)
    }
    column = here
    px = x
    py = bounded
    run++
  }
  lift()
  return dots
}

/** Draw once more, in the warning colour, what lies beyond the limits. */
function drawBeyond(pen: Pen, plot: Plot<Values>, layout: Layout, colours: ChartColours): void {
  if (!layout.left) return
  const { lower, upper } = plot.limits
  const parts: (readonly [limit: number, top: number, bottom: number])[] = []
  if (upper !== null) {
    const y = yPixel(layout, 'left', upper)
    if (Number.isFinite(y)) parts.push([y, layout.y - 2, y])
  }
  if (lower !== null) {
    const y = yPixel(layout, 'left', lower)
    if (Number.isFinite(y)) parts.push([y, y, layout.y + layout.height + 2])
  }
  for (const [limit, top, bottom] of parts) {
    const from = Math.max(top, layout.y - 2)
    const to = Math.min(bottom, layout.y + layout.height + 2)
    if (to > from) {
      pen.save()
      pen.beginPath()
      pen.rect(layout.x, from, layout.width, to - from)
      pen.clip()
      pen.globalAlpha = 0.07
      pen.fillStyle = colours.danger
      pen.fillRect(layout.x, from, layout.width, to - from)
      pen.globalAlpha = 1
      for (const line of plot.lines) {
        if (line.side === 'left')
          strokeLine(pen, layout, { ...line, colour: colours.danger }, line.curve.values, 2)
      }
      pen.restore()
    }
    if (limit < layout.y || limit > layout.y + layout.height) continue
    pen.strokeStyle = colours.danger
    pen.lineWidth = 1
    pen.setLineDash([4, 3])
    pen.beginPath()
    pen.moveTo(layout.x, limit)
    pen.lineTo(layout.x + layout.width, limit)
    pen.stroke()
    pen.setLineDash([])
  }
}

/** Triangles at the border: up at the top for +∞, down at the bottom for −∞, hollow at the bottom for NaN. */
function drawOdd(pen: Pen, layout: Layout, line: Line<Values>): void {
  const { xs, curve } = line
  const [from, to] = visible(line, layout.xScale)
  const last = new Map<string, number>()
  for (let i = from; i < to; i++) {
    const value = curve.values[i]!
    if (Number.isFinite(value)) continue
    const x = xPixel(layout, xs[i]!)
    if (x < layout.x - 1 || x > layout.x + layout.width + 1) continue
    const kind = Number.isNaN(value) ? 'nan' : value > 0 ? 'up' : 'down'
    if (x - (last.get(kind) ?? -Infinity) < 5) continue
    last.set(kind, x)
    const base = kind === 'up' ? layout.y + 6 : layout.y + layout.height - (kind === 'nan' ? 1 : 7)
    const tip = kind === 'down' ? base + 6 : base - 6
    pen.beginPath()
    pen.moveTo(x - 4, base)
    pen.lineTo(x + 4, base)
    pen.lineTo(x, tip)
    pen.closePath()
    pen.strokeStyle = line.colour
    pen.fillStyle = line.colour
    pen.lineWidth = 1.4
    if (kind === 'nan') pen.stroke()
    else pen.fill()
  }
}

export function drawAxes(
  pen: Pen,
  { xLabel }: Pick<Plot, 'xLabel'>,
  layout: Layout,
  colours: ChartColours,
): void {
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
  for (const side of ['left', 'right'] as const) {
    const ticks = side === 'left' ? layout.leftTicks : layout.rightTicks
    pen.textAlign = side === 'left' ? 'right' : 'left'
    ticks.values.forEach((value, i) => {
      const y = yPixel(layout, side, value)
      pen.fillText(ticks.labels[i]!, side === 'left' ? layout.x - 6 : layout.x + layout.width + 6, y)
    })
  }
  pen.textBaseline = 'top'
  // The name of the axis stands at its right end; labels that would touch it give way.
  const nameWidth = xLabel ? pen.measureText(xLabel).width : 0
  const end = layout.x + layout.width - nameWidth - 10
  ticksText(pen, layout, bottom, end)
  if (xLabel) {
    pen.textAlign = 'right'
    pen.globalAlpha = 0.8
    pen.fillText(xLabel, layout.x + layout.width, bottom + 6)
  }
  pen.restore()
}

function ticksText(pen: Pen, layout: Layout, bottom: number, end: number): void {
  pen.textAlign = 'center'
  let occupied = -Infinity
  layout.xTicks.values.forEach((value, i) => {
    const label = layout.xTicks.labels[i]!
    const half = pen.measureText(label).width / 2
    const x = Math.max(xPixel(layout, value), half + 2)
    if (x - half < occupied + 8 || x + half > end) return
    pen.fillText(label, x, bottom + 6)
    occupied = x + half
  })
}
