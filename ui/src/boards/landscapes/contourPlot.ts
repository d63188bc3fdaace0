/** Lay out a contour map of one landscape, or of several over each other, and draw it with any pen. */

import type { ChartColours } from '@/base/theme'
import { rampColour } from '@/plot/colourRamp'
import type { Pen } from '@/plot/pen'
import { fraction, valueAt, type Scale } from '@/plot/scale'
import { linearTicks, type Ticks } from '@/plot/ticks'
import type { Range } from '@/plot/zoom'
import type { Landscape } from './api'
import { contourLines, lengthOf, middleOf, traceAbove, type Grid } from './contours'
import { extentOf, heights, levelsOf, lossAt, lossScale } from './terrain'

export interface Layer {
  readonly key: string
  readonly name: string
  /** Of the run. */
  readonly colour: string
  readonly landscape: Landscape
}

export interface ContourPlot {
  readonly layers: readonly Layer[]
  /** Losses from the darkest to the lightest colour. */
  readonly range: Range | null
  readonly isLog: boolean
  readonly hasPath: boolean
  readonly lossLabel: string
}

export interface ContourLayout {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly xScale: Scale
  readonly yScale: Scale
  readonly loss: Scale
  readonly xTicks: Ticks
  readonly yTicks: Ticks
  readonly levels: Ticks
  /** Where the bar of colours begins; null with several layers, which have the colours of their runs. */
  readonly bar: number | null
}

const LABEL_PIXELS = 11
const TOP = 18 // the name of the loss stands above its colours
const BOTTOM = 22
const BAR = 12
const BAR_GAP = 10
const LABEL_GAP = 46 // pixels between the labels of lines

export function layOutContour(
  plot: ContourPlot,
  width: number,
  height: number,
  pen: Pick<Pen, 'measureText' | 'font'>,
  font: string,
): ContourLayout {
  pen.font = `${LABEL_PIXELS}px ${font}`
  const wide = (ticks: Ticks): number =>
    Math.ceil(Math.max(16, ...ticks.labels.map((label) => pen.measureText(label).width)))
  const inner = Math.max(10, height - TOP - BOTTOM)
  const { x: xRange, y: yRange } = extentOf(
    plot.layers.map(({ landscape }) => landscape),
    plot.hasPath,
  )
  const loss = lossScale(plot.range, plot.isLog)
  const levels = levelsOf(loss, Math.min(14, Math.max(4, Math.round(inner / 22))))
  const yTicks = linearTicks(...yRange, Math.max(2, Math.floor(inner / 40)))
  const left = wide(yTicks) + 10
  const hasBar = plot.layers.length === 1
  const frame = Math.max(10, width - left - (hasBar ? BAR_GAP + BAR + 6 + wide(levels) : 12))
  return {
    x: left,
    y: TOP,
    width: frame,
    height: inner,
    loss,
    levels,
    yTicks,
    xScale: { lo: xRange[0], hi: xRange[1], isLog: false },
    yScale: { lo: yRange[0], hi: yRange[1], isLog: false },
    xTicks: linearTicks(...xRange, Math.max(2, Math.floor(frame / 60))),
    bar: hasBar ? left + frame + BAR_GAP : null,
  }
}

export const xPixel = (layout: ContourLayout, x: number): number =>
  layout.x + fraction(layout.xScale, x) * layout.width
export const yPixel = (layout: ContourLayout, y: number): number =>
  layout.y + (1 - fraction(layout.yScale, y)) * layout.height

export function drawContour(pen: Pen, plot: ContourPlot, layout: ContourLayout, colours: ChartColours): void {
  pen.save()
  pen.beginPath()
  pen.rect(layout.x, layout.y, layout.width, layout.height)
  pen.clip()
  const isAlone = plot.layers.length === 1
  for (const { landscape, colour } of plot.layers) {
    const grid: Grid = {
      x: landscape.x.map((x) => xPixel(layout, x)),
      y: landscape.y.map((y) => yPixel(layout, y)),
      z: heights(landscape.z, layout.loss),
    }
    if (isAlone) fillBands(pen, grid, layout)
    drawLines(
      pen,
      grid,
      layout,
      isAlone ? { line: 'rgb(255 255 255)', opacity: 0.55 } : { line: colour, opacity: 0.9 },
      colours,
    )
  }
  if (plot.hasPath) for (const layer of plot.layers) drawPath(pen, layer, layout, colours)
  pen.restore()
  drawAxes(pen, layout, colours)
  if (layout.bar !== null) drawBar(pen, plot, layout, layout.bar, colours)
}

/** The parts of the way to the highest loss where one colour ends and the next begins. */
const stepsOf = ({ levels, loss }: ContourLayout): readonly number[] =>
  levels.values.map((level) => fraction(loss, level)).filter((part) => part > 0 && part < 1)

/** The colour between two steps. */
const bandColour = (steps: readonly number[], band: number): string =>
  rampColour(((steps[band - 1] ?? 0) + (steps[band] ?? 1)) / 2)

function fillBands(pen: Pen, grid: Grid, layout: ContourLayout): void {
  const steps = stepsOf(layout)
  for (const [band, from] of [0, ...steps].entries()) {
    pen.fillStyle = bandColour(steps, band)
    pen.beginPath()
    // The lowest colour lies under everything that is a number at all.
    traceAbove(pen, grid, band === 0 ? -Infinity : from)
    pen.fill()
  }
}

function drawLines(
  pen: Pen,
  grid: Grid,
  layout: ContourLayout,
  { line: ink, opacity }: { readonly line: string; readonly opacity: number },
  colours: ChartColours,
): void {
  const labels: { readonly x: number; readonly y: number; readonly angle: number; readonly text: string }[] =
    []
  pen.strokeStyle = ink
  pen.lineWidth = 1
  pen.globalAlpha = opacity
  pen.beginPath()
  for (const [at, value] of layout.levels.values.entries()) {
    const part = fraction(layout.loss, value)
    if (part <= 0 || part >= 1) continue
    for (const line of contourLines(grid, part)) {
      for (let i = 0; i < line.length; i += 2) {
        if (i === 0) pen.moveTo(line[0]!, line[1]!)
        else pen.lineTo(line[i]!, line[i + 1]!)
      }
      const middle = middleOf(line)
      const hasRoom =
        lengthOf(line) > 90 && labels.every(({ x, y }) => Math.hypot(x - middle.x, y - middle.y) > LABEL_GAP)
      if (hasRoom && middle.x > layout.x + 24 && middle.x < layout.x + layout.width - 24)
        labels.push({ ...middle, text: layout.levels.labels[at]! })
    }
  }
  pen.stroke()
  pen.globalAlpha = 1
  for (const label of labels) drawLabel(pen, label, colours)
}

function drawLabel(
  pen: Pen,
  {
    x,
    y,
    angle,
    text,
  }: { readonly x: number; readonly y: number; readonly angle: number; readonly text: string },
  colours: ChartColours,
): void {
  pen.save()
  pen.translate(x, y)
  pen.rotate(angle)
  pen.font = `10px ${colours.font}`
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  const width = pen.measureText(text).width + 6
  pen.globalAlpha = 0.8
  pen.fillStyle = colours.surface
  pen.fillRect(-width / 2, -7, width, 14)
  pen.globalAlpha = 1
  pen.fillStyle = colours.text
  pen.fillText(text, 0, 0)
  pen.restore()
}

function drawPath(
  pen: Pen,
  { landscape: { path, end }, colour }: Layer,
  layout: ContourLayout,
  colours: ChartColours,
): void {
  const dot = (x: number, y: number, radius: number, fill: string): void => {
    pen.beginPath()
    pen.arc(xPixel(layout, x), yPixel(layout, y), radius, 0, 2 * Math.PI)
    pen.fillStyle = fill
    pen.fill()
  }
  if (path) {
    pen.lineJoin = 'round'
    // A rim in the colour of the page, so that the way is seen on every colour below it.
    for (const [ink, width] of [
      [colours.surface, 4.5],
      [colour, 2],
    ] as const) {
      pen.strokeStyle = ink
      pen.lineWidth = width
      pen.beginPath()
      for (let i = 0; i < path.x.length; i++) {
        const [x, y] = [xPixel(layout, path.x[i]!), yPixel(layout, path.y[i]!)]
        if (i === 0) pen.moveTo(x, y)
        else pen.lineTo(x, y)
      }
      pen.stroke()
    }
    for (let i = 0; i < path.x.length; i++) {
      dot(path.x[i]!, path.y[i]!, i === 0 ? 5 : 4, colours.surface)
      dot(path.x[i]!, path.y[i]!, i === 0 ? 3.5 : 2.5, i === 0 ? colours.surface : colour)
      if (i === 0) ring(pen, xPixel(layout, path.x[0]!), yPixel(layout, path.y[0]!), 4, colour)
    }
  }
  if (end) drawEnd(pen, xPixel(layout, end.x), yPixel(layout, end.y), colours)
}

function ring(pen: Pen, x: number, y: number, radius: number, ink: string, width = 1.5): void {
  pen.strokeStyle = ink
  pen.lineWidth = width
  pen.beginPath()
  pen.arc(x, y, radius, 0, 2 * Math.PI)
  pen.stroke()
}

/** Where training ended: a cross in a ring. */
function drawEnd(pen: Pen, x: number, y: number, colours: ChartColours): void {
  for (const [ink, width] of [
    [colours.surface, 5],
    [colours.danger, 2],
  ] as const) {
    ring(pen, x, y, 7, ink, width)
    pen.beginPath()
    pen.moveTo(x - 4, y)
    pen.lineTo(x + 4, y)
    pen.moveTo(x, y - 4)
    pen.lineTo(x, y + 4)
    pen.stroke()
  }
}

function drawAxes(pen: Pen, layout: ContourLayout, colours: ChartColours): void {
  const { x, y, width, height } = layout
  pen.strokeStyle = colours.axis
  pen.lineWidth = 1
  pen.beginPath()
  pen.rect(x + 0.5, y + 0.5, width - 1, height - 1)
  pen.stroke()
  pen.font = `${LABEL_PIXELS}px ${colours.font}`
  pen.fillStyle = colours.text
  pen.textAlign = 'center'
  pen.textBaseline = 'top'
  layout.xTicks.values.forEach((value, i) =>
    pen.fillText(layout.xTicks.labels[i]!, xPixel(layout, value), y + height + 6),
  )
  pen.textAlign = 'right'
  pen.textBaseline = 'middle'
  layout.yTicks.values.forEach((value, i) =>
    pen.fillText(layout.yTicks.labels[i]!, x - 6, yPixel(layout, value)),
  )
}

function drawBar(
  pen: Pen,
  { lossLabel }: ContourPlot,
  layout: ContourLayout,
  left: number,
  colours: ChartColours,
): void {
  const steps = stepsOf(layout)
  const { y, height } = layout
  const ends = [0, ...steps, 1]
  for (let band = 0; band + 1 < ends.length; band++) {
    pen.fillStyle = bandColour(steps, band)
    const [low, high] = [ends[band]!, ends[band + 1]!]
    pen.fillRect(left, y + (1 - high) * height, BAR, (high - low) * height + 0.5)
  }
  pen.fillStyle = colours.text
  pen.textAlign = 'left'
  pen.textBaseline = 'middle'
  let lowest = Infinity
  layout.levels.values.forEach((value, i) => {
    const at = y + (1 - fraction(layout.loss, value)) * height
    if (lowest - at < LABEL_PIXELS + 2) return
    lowest = at
    pen.fillText(layout.levels.labels[i]!, left + BAR + 6, at)
  })
  pen.textAlign = 'right'
  pen.fillText(lossLabel, left + BAR, y - 9)
}

/** What is read: a point of a path, or any place of the map. */
export type ContourReading =
  | { readonly kind: 'path'; readonly layer: Layer; readonly at: number }
  | { readonly kind: 'end'; readonly layer: Layer }
  | {
      readonly kind: 'place'
      readonly x: number
      readonly y: number
      readonly losses: readonly { readonly layer: Layer; readonly loss: number }[]
    }

const REACH = 12

/** What lies at a pixel; null outside of the map. */
export function readContour(
  plot: ContourPlot,
  layout: ContourLayout,
  px: number,
  py: number,
): ContourReading | null {
  let best: ContourReading | null = null
  let distance = REACH
  const consider = (x: number, y: number, reading: ContourReading): void => {
    const far = Math.hypot(xPixel(layout, x) - px, yPixel(layout, y) - py)
    if (far < distance) [best, distance] = [reading, far]
  }
  if (plot.hasPath) {
    for (const layer of plot.layers) {
      const { path, end } = layer.landscape
      path?.intervals.forEach((_, at) => consider(path.x[at]!, path.y[at]!, { kind: 'path', layer, at }))
      if (end) consider(end.x, end.y, { kind: 'end', layer })
    }
  }
  if (best) return best
  const [across, down] = [(px - layout.x) / layout.width, 1 - (py - layout.y) / layout.height]
  if (across < 0 || across > 1 || down < 0 || down > 1) return null
  const [x, y] = [valueAt(layout.xScale, across), valueAt(layout.yScale, down)]
  return {
    kind: 'place',
    x,
    y,
    losses: plot.layers.map((layer) => ({ layer, loss: lossAt(layer.landscape, x, y) })),
  }
}

/** A mark at what is read. */
export function drawContourReading(
  pen: Pen,
  layout: ContourLayout,
  reading: ContourReading,
  colours: ChartColours,
): void {
  const { x, y } = placeOf(reading)
  const [px, py] = [xPixel(layout, x), yPixel(layout, y)]
  ring(pen, px, py, 7, colours.surface, 4)
  ring(pen, px, py, 7, colours.accent, 2)
}

export function placeOf(reading: ContourReading): { readonly x: number; readonly y: number } {
  switch (reading.kind) {
    case 'place':
      return reading
    case 'path':
      return {
        x: reading.layer.landscape.path!.x[reading.at]!,
        y: reading.layer.landscape.path!.y[reading.at]!,
      }
    case 'end':
      return reading.layer.landscape.end!
  }
}
