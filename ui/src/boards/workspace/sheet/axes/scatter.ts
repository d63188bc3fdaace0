/** A matrix of scatter plots: columns of a table against each other, a point for each row. */

import type { ChartColours } from '@/base/theme'
import { fit } from '@/plot/picture'
import type { Pen } from '@/plot/pen'
import { axisTicks, coveredBy, partsOf, type Axis, type Brushes } from './axisTable'

export interface ScatterPlot {
  /** From left to right. */
  readonly across: readonly Axis[]
  /** From top to bottom. */
  readonly down: readonly Axis[]
  readonly acrossParts: readonly Float64Array[]
  readonly downParts: readonly Float64Array[]
  readonly rows: number
  readonly colours: readonly string[]
  readonly kept: Uint8Array
  readonly brushes: Brushes
  readonly ticked: ReadonlySet<number>
}

export interface ScatterLayout {
  readonly left: number
  readonly top: number
  readonly cellWidth: number
  readonly cellHeight: number
  /** Of everything. */
  readonly width: number
  readonly height: number
}

/** One plot of the matrix. */
export interface Spot {
  readonly column: number
  readonly row: number
}

const LEFT = 86
const BOTTOM = 48
const TOP = 10
const SMALLEST = { width: 150, height: 120 }
const LARGEST = { width: 460, height: 340 }
const GAP = 12
const INSET = 8 // points at the ends of an axis are not cut

export const scatterParts = (axes: readonly Axis[]): readonly Float64Array[] => axes.map(partsOf)

/** Plots as large as the room allows, but never too small to read: then the matrix is larger than the room. */
export function layOutScatter(across: number, down: number, width: number, height: number): ScatterLayout {
  const clamp = (size: number, least: number, most: number): number =>
    Math.floor(Math.min(most, Math.max(least, size)))
  const cellWidth = clamp((width - LEFT - GAP) / Math.max(1, across), SMALLEST.width, LARGEST.width)
  const cellHeight = clamp((height - TOP - BOTTOM) / Math.max(1, down), SMALLEST.height, LARGEST.height)
  return {
    left: LEFT,
    top: TOP,
    cellWidth,
    cellHeight,
    width: LEFT + across * cellWidth + GAP,
    height: TOP + down * cellHeight + BOTTOM,
  }
}

interface Frame {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function frameOf({ left, top, cellWidth, cellHeight }: ScatterLayout, { column, row }: Spot): Frame {
  return {
    x: left + column * cellWidth,
    y: top + row * cellHeight,
    width: cellWidth - GAP,
    height: cellHeight - GAP,
  }
}

const xOf = ({ x, width }: Frame, part: number): number => x + INSET + part * (width - 2 * INSET)
const yOf = ({ y, height }: Frame, part: number): number => y + height - INSET - part * (height - 2 * INSET)

/** The plot at a place of the matrix, and the places on its axes there; null between plots. */
export function spotAt(
  plot: ScatterPlot,
  layout: ScatterLayout,
  x: number,
  y: number,
): (Spot & { readonly across: number; readonly down: number }) | null {
  const spot = {
    column: Math.floor((x - layout.left) / layout.cellWidth),
    row: Math.floor((y - layout.top) / layout.cellHeight),
  }
  if (spot.column < 0 || spot.column >= plot.across.length || spot.row < 0 || spot.row >= plot.down.length)
    return null
  const frame = frameOf(layout, spot)
  if (x > frame.x + frame.width || y > frame.y + frame.height) return null
  return {
    ...spot,
    across: (x - frame.x - INSET) / (frame.width - 2 * INSET),
    down: (frame.y + frame.height - INSET - y) / (frame.height - 2 * INSET),
  }
}

/** What of the matrix is in view. */
export interface Viewport {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export function drawScatter(
  pen: Pen,
  plot: ScatterPlot,
  layout: ScatterLayout,
  view: Viewport,
  colours: ChartColours,
): void {
  const radius = plot.rows > 2000 ? 1.6 : plot.rows > 300 ? 2.2 : 3.2
  for (let row = 0; row < plot.down.length; row++) {
    for (let column = 0; column < plot.across.length; column++) {
      const frame = frameOf(layout, { column, row })
      const isOut =
        frame.x > view.x + view.width ||
        frame.x + frame.width < view.x ||
        frame.y > view.y + view.height ||
        frame.y + frame.height < view.y
      if (!isOut) drawSpot(pen, plot, frame, { column, row }, radius, colours)
    }
  }
  drawLabels(pen, plot, layout, colours)
}

function drawSpot(
  pen: Pen,
  plot: ScatterPlot,
  frame: Frame,
  { column, row }: Spot,
  radius: number,
  colours: ChartColours,
): void {
  const [across, down] = [plot.across[column]!, plot.down[row]!]
  pen.strokeStyle = colours.grid
  pen.lineWidth = 1
  pen.beginPath()
  pen.rect(frame.x + 0.5, frame.y + 0.5, frame.width, frame.height)
  for (const part of ticksIn(across, frame.width)) {
    const x = Math.round(xOf(frame, part)) + 0.5
    pen.moveTo(x, frame.y)
    pen.lineTo(x, frame.y + frame.height)
  }
  for (const part of ticksIn(down, frame.height)) {
    const y = Math.round(yOf(frame, part)) + 0.5
    pen.moveTo(frame.x, y)
    pen.lineTo(frame.x + frame.width, y)
  }
  pen.stroke()
  drawBrush(pen, plot, frame, across, down, colours)
  const [xs, ys] = [plot.acrossParts[column]!, plot.downParts[row]!]
  const draw = (
    is: (at: number) => boolean,
    size: number,
    alpha: number,
    colourOf: (at: number) => string,
  ): void => {
    pen.save()
    pen.globalAlpha = alpha
    for (const [colour, rows] of grouped(plot.rows, is, colourOf)) {
      pen.fillStyle = colour
      pen.beginPath()
      for (const at of rows) {
        const [x, y] = [xs[at]!, ys[at]!]
        if (Number.isNaN(x) || Number.isNaN(y)) continue
        pen.moveTo(xOf(frame, x) + size, yOf(frame, y))
        pen.arc(xOf(frame, x), yOf(frame, y), size, 0, 2 * Math.PI)
      }
      pen.fill()
    }
    pen.restore()
  }
  draw(
    (at) => !plot.kept[at],
    radius,
    0.3,
    () => colours.axis,
  )
  draw(
    (at) => plot.kept[at] === 1 && !plot.ticked.has(at),
    radius,
    plot.ticked.size > 0 ? 0.4 : plot.rows > 300 ? 0.65 : 0.85,
    (at) => plot.colours[at]!,
  )
  draw(
    (at) => plot.kept[at] === 1 && plot.ticked.has(at),
    radius + 1.2,
    1,
    (at) => plot.colours[at]!,
  )
}

function grouped(
  rows: number,
  is: (at: number) => boolean,
  colourOf: (at: number) => string,
): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (let at = 0; at < rows; at++) {
    if (!is(at)) continue
    const colour = colourOf(at)
    const group = found.get(colour)
    if (group) group.push(at)
    else found.set(colour, [at])
  }
  return found
}

function drawBrush(
  pen: Pen,
  { brushes }: ScatterPlot,
  frame: Frame,
  across: Axis,
  down: Axis,
  colours: ChartColours,
): void {
  const [one, other] = [brushes.get(across.column.key), brushes.get(down.column.key)]
  if (!one && !other) return
  pen.save()
  pen.globalAlpha = 0.12
  pen.fillStyle = colours.accent
  for (const [low, high] of one ? coveredBy(across, one) : [[0, 1] as const]) {
    for (const [under, over] of other ? coveredBy(down, other) : [[0, 1] as const]) {
      const [x, y] = [xOf(frame, low) - 3, yOf(frame, over) - 3]
      pen.fillRect(x, y, xOf(frame, high) + 3 - x, yOf(frame, under) + 3 - y)
    }
  }
  pen.restore()
}

const ticksIn = (axis: Axis, pixels: number): readonly number[] =>
  axisTicks(axis, Math.max(2, Math.floor(pixels / 50))).parts

function drawLabels(pen: Pen, plot: ScatterPlot, layout: ScatterLayout, colours: ChartColours): void {
  pen.font = `11px ${colours.font}`
  pen.textBaseline = 'middle'
  plot.across.forEach((axis, column) => {
    const frame = frameOf(layout, { column, row: plot.down.length - 1 })
    pen.fillStyle = colours.text
    pen.textAlign = 'center'
    let right = -Infinity
    const { labels, parts } = axisTicks(axis, Math.max(2, Math.floor(frame.width / 50)))
    labels.forEach((label, i) => {
      const text = fit(pen, label, frame.width / 2)
      const [x, half] = [xOf(frame, parts[i]!), pen.measureText(text).width / 2]
      if (x - half < right + 6) return
      right = x + half
      pen.fillText(text, x, frame.y + frame.height + 10)
    })
    pen.font = `600 11px ${colours.font}`
    pen.fillText(
      fit(pen, axis.column.label, frame.width),
      frame.x + frame.width / 2,
      frame.y + frame.height + 28,
    )
    pen.font = `11px ${colours.font}`
  })
  plot.down.forEach((axis, row) => {
    const frame = frameOf(layout, { column: 0, row })
    pen.fillStyle = colours.text
    pen.textAlign = 'right'
    let above = Infinity
    const { labels, parts } = axisTicks(axis, Math.max(2, Math.floor(frame.height / 30)))
    labels.forEach((label, i) => {
      const y = yOf(frame, parts[i]!)
      if (y > above - 12) return
      above = y
      pen.fillText(fit(pen, label, layout.left - 32), layout.left - 6, y)
    })
    pen.save()
    pen.translate(12, frame.y + frame.height / 2)
    pen.rotate(-Math.PI / 2)
    pen.textAlign = 'center'
    pen.font = `600 11px ${colours.font}`
    pen.fillText(fit(pen, axis.column.label, frame.height), 0, 0)
    pen.restore()
  })
}

/** One row in every plot, over all others. */
export function drawScatterRow(
  pen: Pen,
  plot: ScatterPlot,
  layout: ScatterLayout,
  at: number,
  colours: ChartColours,
): void {
  plot.down.forEach((_, row) =>
    plot.across.forEach((__, column) => {
      const frame = frameOf(layout, { column, row })
      const [x, y] = [plot.acrossParts[column]![at]!, plot.downParts[row]![at]!]
      if (Number.isNaN(x) || Number.isNaN(y)) return
      for (const [size, colour] of [
        [7, colours.text],
        [5.5, colours.surface],
        [4.5, plot.colours[at]!],
      ] as const) {
        pen.fillStyle = colour
        pen.beginPath()
        pen.arc(xOf(frame, x), yOf(frame, y), size, 0, 2 * Math.PI)
        pen.fill()
      }
    }),
  )
}

/** The kept row whose point is nearest to a place of the matrix, at most `reach` pixels away; null when none is. */
export function scatterRowAt(
  plot: ScatterPlot,
  layout: ScatterLayout,
  x: number,
  y: number,
  reach = 9,
): number | null {
  const spot = spotAt(plot, layout, x, y)
  if (!spot) return null
  const frame = frameOf(layout, spot)
  const [xs, ys] = [plot.acrossParts[spot.column]!, plot.downParts[spot.row]!]
  let found: number | null = null
  let nearest = reach
  for (let at = 0; at < plot.rows; at++) {
    if (!plot.kept[at]) continue
    const distance = Math.hypot(xOf(frame, xs[at]!) - x, yOf(frame, ys[at]!) - y)
    if (distance <= nearest) [found, nearest] = [at, distance]
  }
  return found
}
