/** Parallel axes: each row of a table is a line across them. */

import type { ChartColours } from '@/base/theme'
import { fit } from '@/plot/picture'
import type { Pen } from '@/plot/pen'
import { axisTicks, coveredBy, partsOf, type Axis, type Brushes } from './axisTable'

export interface ParallelPlot {
  readonly axes: readonly Axis[]
  /** The places of all rows on each of the axes. */
  readonly parts: readonly Float64Array[]
  readonly rows: number
  /** The colour of each row. */
  readonly colours: readonly string[]
  /** 1 for rows that pass the filters. */
  readonly kept: Uint8Array
  readonly brushes: Brushes
  /** Rows that stand out. */
  readonly ticked: ReadonlySet<number>
}

export interface ParallelLayout {
  readonly xs: readonly number[]
  readonly top: number
  readonly bottom: number
  /** Pixels from one axis to the next. */
  readonly gap: number
}

const TOP = 40
const BOTTOM = 18
const SIDE = 70
const NARROWEST = 90
const BRUSH = 9 // half of the width

/** How wide the axes must be to be read. */
export const parallelWidth = (axes: number): number => 2 * SIDE + Math.max(0, axes - 1) * NARROWEST

export function layOutParallel(axes: number, width: number, height: number): ParallelLayout {
  const gap = axes > 1 ? (width - 2 * SIDE) / (axes - 1) : 0
  return {
    xs: Array.from({ length: axes }, (_, i) => (axes > 1 ? SIDE + i * gap : width / 2)),
    top: TOP,
    bottom: Math.max(TOP + 20, height - BOTTOM),
    gap,
  }
}

export const parallelParts = (axes: readonly Axis[]): readonly Float64Array[] => axes.map(partsOf)

const pixelOf = ({ top, bottom }: ParallelLayout, part: number): number => bottom - part * (bottom - top)

/** The place on an axis at height `y`. */
export const partAt = ({ top, bottom }: ParallelLayout, y: number): number => (bottom - y) / (bottom - top)

/** The line of a row; a missing value leaves a gap in it. */
function trace(pen: Pen, { parts }: ParallelPlot, layout: ParallelLayout, row: number): void {
  let isOpen = false
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]![row]!
    if (Number.isNaN(part)) {
      isOpen = false
      continue
    }
    const [x, y] = [layout.xs[i]!, pixelOf(layout, part)]
    if (isOpen) pen.lineTo(x, y)
    else pen.moveTo(x, y)
    isOpen = true
  }
}

/** Rows by their colour, so that the pen changes seldom. */
function byColour(plot: ParallelPlot, is: (row: number) => boolean): Map<string, number[]> {
  const found = new Map<string, number[]>()
  for (let row = 0; row < plot.rows; row++) {
    if (!is(row)) continue
    const rows = found.get(plot.colours[row]!)
    if (rows) rows.push(row)
    else found.set(plot.colours[row]!, [row])
  }
  return found
}

/** Many lines are drawn fainter, so that where they are dense can be seen. */
const strengthOf = (count: number): number =>
  Math.min(0.85, Math.max(0.12, 0.85 * Math.sqrt(120 / Math.max(120, count))))

export function drawParallel(
  pen: Pen,
  plot: ParallelPlot,
  layout: ParallelLayout,
  colours: ChartColours,
): void {
  for (const draw of lineStrokes(plot, layout, colours)) draw(pen)
  drawAxes(pen, plot, layout, colours)
}

export function drawAxes(pen: Pen, plot: ParallelPlot, layout: ParallelLayout, colours: ChartColours): void {
  plot.axes.forEach((axis, i) => drawAxis(pen, axis, i, layout, plot, colours))
}

type Stroke = (pen: Pen) => void

/** All lines, some at a time: thousands of them take longer than a frame. */
export function* lineStrokes(
  plot: ParallelPlot,
  layout: ParallelLayout,
  colours: ChartColours,
): Generator<Stroke, void> {
  const shown = plot.kept.reduce((sum, is) => sum + is, 0)
  const left = byColour(
    { ...plot, colours: new Array<string>(plot.rows).fill(colours.axis) },
    (row) => !plot.kept[row],
  )
  yield* strokesOf(plot, layout, left, 1, 0.25 * strengthOf(plot.rows))
  const plain = byColour(plot, (row) => plot.kept[row] === 1 && !plot.ticked.has(row))
  yield* strokesOf(
    plot,
    layout,
    plain,
    1.2,
    plot.ticked.size > 0 ? 0.45 * strengthOf(shown) : strengthOf(shown),
  )
  yield* strokesOf(
    plot,
    layout,
    byColour(plot, (row) => plot.kept[row] === 1 && plot.ticked.has(row)),
    2.2,
    1,
  )
}

function* strokesOf(
  plot: ParallelPlot,
  layout: ParallelLayout,
  groups: Map<string, number[]>,
  width: number,
  alpha: number,
): Generator<Stroke, void> {
  for (const [colour, rows] of groups) {
    // A path of thousands of lines is stroked as one shape, which hides how dense they are; some at a time show it.
    for (let at = 0; at < rows.length; at += 40) {
      yield (pen) => {
        pen.save()
        pen.lineJoin = 'round'
        pen.lineWidth = width
        pen.globalAlpha = alpha
        pen.strokeStyle = colour
        pen.beginPath()
        for (const row of rows.slice(at, at + 40)) trace(pen, plot, layout, row)
        pen.stroke()
        pen.restore()
      }
    }
  }
}

function drawAxis(
  pen: Pen,
  axis: Axis,
  at: number,
  layout: ParallelLayout,
  { brushes }: ParallelPlot,
  colours: ChartColours,
): void {
  const x = layout.xs[at]!
  const { top, bottom } = layout
  pen.strokeStyle = colours.axis
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(x, top)
  pen.lineTo(x, bottom)
  pen.stroke()
  const brush = brushes.get(axis.column.key)
  for (const [low, high] of brush ? coveredBy(axis, brush) : []) {
    const [from, to] = [pixelOf(layout, high), pixelOf(layout, low)]
    pen.save()
    pen.globalAlpha = 0.22
    pen.fillStyle = colours.accent
    pen.fillRect(x - BRUSH, from, 2 * BRUSH, Math.max(2, to - from))
    pen.restore()
    pen.fillStyle = colours.accent
    pen.fillRect(x - BRUSH, from - 1, 2 * BRUSH, 2)
    pen.fillRect(x - BRUSH, to - 1, 2 * BRUSH, 2)
  }
  pen.font = `11px ${colours.font}`
  pen.textAlign = 'left'
  pen.textBaseline = 'middle'
  const { labels, parts } = axisTicks(axis, Math.max(2, Math.floor((bottom - top) / 34)))
  const room = Math.max(30, (layout.gap || 2 * SIDE) - 18)
  let above = Infinity
  labels.forEach((label, i) => {
    const y = pixelOf(layout, parts[i]!)
    // Names may be many; those without room are left out.
    if (y > above - 12 || y < top - 2 || y > bottom + 2) return
    above = y
    pen.strokeStyle = colours.axis
    pen.beginPath()
    pen.moveTo(x - 3, y)
    pen.lineTo(x + 3, y)
    pen.stroke()
    const text = fit(pen, label, room)
    const { width } = pen.measureText(text)
    pen.save()
    pen.globalAlpha = 0.75
    pen.fillStyle = colours.surface
    pen.fillRect(x + 5, y - 7, width + 4, 14)
    pen.restore()
    pen.fillStyle = colours.text
    pen.fillText(text, x + 7, y)
  })
}

/** The names of the axes, for pictures; on the page they are buttons. */
export function drawParallelTitles(
  pen: Pen,
  { axes }: ParallelPlot,
  layout: ParallelLayout,
  colours: ChartColours,
): void {
  pen.font = `600 12px ${colours.font}`
  pen.fillStyle = colours.text
  pen.textAlign = 'center'
  pen.textBaseline = 'middle'
  axes.forEach((axis, i) =>
    pen.fillText(fit(pen, axis.column.label, Math.max(60, layout.gap || 200) - 8), layout.xs[i]!, 16),
  )
}

/** One row over all others. */
export function drawParallelRow(
  pen: Pen,
  plot: ParallelPlot,
  layout: ParallelLayout,
  row: number,
  colours: ChartColours,
): void {
  for (const [width, colour] of [
    [5, colours.surface],
    [2.6, plot.colours[row]!],
  ] as const) {
    pen.strokeStyle = colour
    pen.lineWidth = width
    pen.lineJoin = 'round'
    pen.beginPath()
    trace(pen, plot, layout, row)
    pen.stroke()
  }
  plot.parts.forEach((parts, i) => {
    if (Number.isNaN(parts[row]!)) return
    pen.fillStyle = plot.colours[row]!
    pen.beginPath()
    pen.arc(layout.xs[i]!, pixelOf(layout, parts[row]!), 3.5, 0, 2 * Math.PI)
    pen.fill()
  })
}

/** The kept row whose line is nearest to a point, at most `reach` pixels away; null when none is. */
export function parallelRowAt(
  plot: ParallelPlot,
  layout: ParallelLayout,
  x: number,
  y: number,
  reach = 8,
): number | null {
  const next = layout.xs.findIndex((place) => place >= x)
  const right = next < 0 ? layout.xs.length - 1 : Math.max(next, Math.min(1, layout.xs.length - 1))
  const left = Math.max(0, right - 1)
  const [from, to] = [layout.xs[left]!, layout.xs[right]!]
  const share = to > from ? Math.min(1, Math.max(0, (x - from) / (to - from))) : 0
  let found: number | null = null
  let nearest = reach
  for (let row = 0; row < plot.rows; row++) {
    if (!plot.kept[row]) continue
    const [one, other] = [plot.parts[left]?.[row] ?? NaN, plot.parts[right]?.[row] ?? NaN]
    const distance = Math.abs(pixelOf(layout, one + (other - one) * share) - y)
    // Of equally near ones the later is taken: it is drawn above.
    if (distance <= nearest) [found, nearest] = [row, distance]
  }
  return found
}

/** The axis whose line is at most `reach` pixels away; -1 when none is. */
export const axisAt = ({ xs }: ParallelLayout, x: number, reach = 12): number =>
  xs.findIndex((place) => Math.abs(place - x) <= reach)

/** `keys` with the one at `from` moved to where x lies among the axes. */
export function reordered(
  keys: readonly string[],
  from: number,
  { xs }: ParallelLayout,
  x: number,
): readonly string[] {
  const rest = keys.filter((_, i) => i !== from)
  const to = xs.filter((place, i) => i !== from && place < x).length
  return [...rest.slice(0, to), keys[from]!, ...rest.slice(to)]
}
