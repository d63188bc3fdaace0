/** Draw a picture of the timeline. */

import { laneBox, type Drawn } from '@/boards/profiler/timeline/sliceLookup'
import type { StepBand } from '@/boards/profiler/timeline/tiles/traceSource'
import type { ArrowEnd } from './arrows'
import { lastAt, spokenValue, valueAt } from './counters'
import { RULER, xOf, type Frame } from './frame'
import type { LanePainter } from './paintLanes'
import { LANE, rowsIn, type CounterRow } from './rowLayout'
import { rulerTicks } from './ruler'
import { stepsIn } from './stepBands'

const TICK_PX = 110
const DENSITY = 4
const STEP_LABEL_PX = 30

export function paint(pen: CanvasRenderingContext2D, frame: Frame, lanes: LanePainter): void {
  const { width, height, palette } = frame
  pen.fillStyle = palette.surface
  pen.fillRect(0, 0, width, height)
  pen.save()
  pen.beginPath()
  pen.rect(0, RULER, width, height - RULER)
  pen.clip()
  paintRows(pen, frame)
  lanes.paint(pen, frame)
  paintRange(pen, frame)
  if (frame.hovered) outline(pen, frame, frame.hovered, palette.muted, 1)
  if (frame.chosen) outline(pen, frame, frame.chosen, palette.text, 2)
  paintArrows(pen, frame)
  pen.restore()
  paintRuler(pen, frame)
}

/** Titles, steps as bands behind the tracks, counters. */
function paintRows(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { layout, scroll, height, width, palette, sources } = frame
  const steps = sources.map((source) => (source ? stepsIn(source, frame.span, width) : []))
  for (const row of rowsIn(layout, scroll, scroll + height - RULER)) {
    const y = RULER + row.y - scroll
    if (row.kind === 'recording' || row.kind === 'process') {
      pen.fillStyle = palette.band
      pen.fillRect(0, y, width, row.height)
    } else paintBands(pen, frame, steps[row.source]!, row.source, y, row.height)
    pen.fillStyle = palette.border
    pen.fillRect(0, y + row.height - 1, width, 1)
    if (row.kind === 'counter' && sources[row.source]) paintCounter(pen, frame, row, y)
  }
}

/** Every second step has a ground of its own. */
function paintBands(
  pen: CanvasRenderingContext2D,
  frame: Frame,
  steps: readonly StepBand[],
  at: number,
  y: number,
  height: number,
): void {
  const offset = frame.sources[at]?.offset ?? 0
  pen.fillStyle = frame.palette.band
  pen.globalAlpha = 0.6
  for (const { number, begin_ns: begin, end_ns: end } of steps) {
    if (number % 2 === 0) continue
    const [x0, x1] = [
      Math.max(0, xOf(frame, begin + offset)),
      Math.min(frame.width, xOf(frame, end + offset)),
    ]
    if (x1 - x0 >= 2) pen.fillRect(x0, y, x1 - x0, height)
  }
  pen.globalAlpha = 1
}

function paintCounter(pen: CanvasRenderingContext2D, frame: Frame, row: CounterRow, y: number): void {
  const curve = frame.counters.get(row.key)
  if (!curve || curve.time_ns.length === 0) return
  const { palette, width } = frame
  const { offset } = frame.sources[row.source]!
  const room = row.height - 6
  const heightOf = (value: number): number =>
    ((value - curve.lowest) / (curve.highest - curve.lowest || 1)) * room
  const floor = y + row.height - 2
  pen.fillStyle = palette.accentSoft
  pen.strokeStyle = palette.accent
  pen.lineWidth = 1
  // A value holds until the next one, and the last one to the end of the recording. Far beyond the
  // edges nothing is drawn: canvases are exact to some digits only.
  const placed = (time: number): number => Math.min(Math.max(xOf(frame, time + offset), -2), width + 2)
  const times = curve.time_ns
  const [first, last] = [
    Math.max(0, lastAt(times, frame.span.from - offset)),
    lastAt(times, frame.span.to - offset),
  ]
  const end = placed(times[last + 1] ?? Math.max(frame.sources[row.source]!.about.to_ns, times.at(-1)!))
  pen.beginPath()
  pen.moveTo(placed(times[first]!), floor)
  for (let i = first; i <= last; i++) {
    const top = floor - heightOf(curve.value[i]!)
    pen.lineTo(placed(times[i]!), top)
    pen.lineTo(i < last ? placed(times[i + 1]!) : end, top)
  }
  pen.lineTo(end, floor)
  pen.closePath()
  pen.fill()
  pen.stroke()
  pen.font = `10px ${palette.font}`
  pen.textBaseline = 'top'
  pen.textAlign = 'left'
  pen.strokeStyle = palette.surface
  pen.lineWidth = 3
  pen.lineJoin = 'round'
  // On a rim, since curves pass behind.
  const write = (text: string, colour: string, x: number, top: number): void => {
    pen.strokeText(text, x, top)
    pen.fillStyle = colour
    pen.fillText(text, x, top)
  }
  write(spokenValue(curve.highest, row.unit, { isShort: true }), palette.muted, 3, y + 3)
  const value = frame.pointer === null ? null : valueAt(curve, frame.pointer - offset)
  if (value === null) return
  const text = spokenValue(value, row.unit)
  const [x, wide] = [xOf(frame, frame.pointer!) + 4, pen.measureText(text).width]
  write(text, palette.text, x + wide > width ? x - 8 - wide : x, y + 15)
}

function outline(
  pen: CanvasRenderingContext2D,
  frame: Frame,
  { source, track, lane, begin, duration }: Drawn,
  colour: string,
  line: number,
): void {
  const box = laneBox(frame.layout, source, track, lane)
  if (!box) return
  const [x0, x1] = [Math.max(-4, xOf(frame, begin)), Math.min(frame.width + 4, xOf(frame, begin + duration))]
  if (x1 < -2 || x0 > frame.width + 2) return
  pen.strokeStyle = colour
  pen.lineWidth = line
  pen.strokeRect(
    Math.round(x0) - 0.5,
    RULER + box.y - frame.scroll - 0.5,
    Math.max(2, Math.round(x1 - x0)),
    box.height - (box.height >= LANE ? 0 : -1),
  )
}

function paintRange(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { range, palette, width, height, layout, scroll, rangeTracks } = frame
  if (!range) return
  const [x0, x1] = [Math.max(-2, xOf(frame, range.from)), Math.min(width + 2, xOf(frame, range.to))]
  if (x1 <= x0) return
  pen.fillStyle = palette.accent
  pen.globalAlpha = 0.14
  for (const row of rowsIn(layout, scroll, scroll + height - RULER)) {
    if (row.kind === 'track' && (!rangeTracks || rangeTracks.has(row.key)))
      pen.fillRect(x0, RULER + row.y - scroll, x1 - x0, row.height)
  }
  pen.globalAlpha = 1
  pen.fillRect(Math.round(x0), RULER, 1, height)
  pen.fillRect(Math.round(x1) - 1, RULER, 1, height)
}

function paintArrows(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { sources, layout, scroll, palette, chosen } = frame
  for (const { source: at, from, to } of frame.arrows) {
    const source = sources[at]
    const [begin, end] = [laneBox(layout, at, from.track, from.lane), laneBox(layout, at, to.track, to.lane)]
    if (!source || !begin || !end) continue
    const place = (
      { time }: ArrowEnd,
      { y, height }: { readonly y: number; readonly height: number },
    ): readonly [number, number] => [xOf(frame, time + source.offset), RULER + y + height / 2 - scroll]
    const [[x0, y0], [x1, y1]] = [place(from, begin), place(to, end)]
    if (Math.max(x0, x1) < -50 || Math.min(x0, x1) > frame.width + 50) continue
    const isOwn = chosen?.source === at && (from.row === chosen.row || to.row === chosen.row)
    pen.strokeStyle = pen.fillStyle = isOwn ? palette.danger : palette.muted
    pen.lineWidth = isOwn ? 1.5 : 1
    const bend = Math.max(12, Math.min(120, Math.abs(x1 - x0) / 2))
    pen.beginPath()
    pen.moveTo(x0, y0)
    pen.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1)
    pen.stroke()
    pen.beginPath()
    pen.moveTo(x1, y1)
    pen.lineTo(x1 - 6, y1 - 3.5)
    pen.lineTo(x1 - 6, y1 + 3.5)
    pen.fill()
  }
}

function paintRuler(pen: CanvasRenderingContext2D, frame: Frame): void {
  const { width, height, span, palette, range, pointer } = frame
  pen.fillStyle = palette.surface
  pen.fillRect(0, 0, width, RULER)
  paintSteps(pen, frame)
  if (range) {
    pen.fillStyle = palette.accentSoft
    pen.fillRect(xOf(frame, range.from), 0, xOf(frame, range.to) - xOf(frame, range.from), 17)
  }
  pen.font = `11px ${palette.font}`
  pen.textBaseline = 'middle'
  pen.textAlign = 'left'
  for (const { at, label } of rulerTicks(span, width / TICK_PX)) {
    const x = Math.round(xOf(frame, at))
    pen.fillStyle = palette.border
    pen.fillRect(x, 0, 1, 17)
    pen.fillStyle = palette.muted
    pen.fillText(label, x + 4, 9)
  }
  paintDensity(pen, frame)
  pen.fillStyle = palette.border
  pen.fillRect(0, RULER - 1, width, 1)
  if (pointer !== null) {
    pen.fillStyle = palette.muted
    pen.globalAlpha = 0.5
    pen.fillRect(Math.round(xOf(frame, pointer)), 0, 1, height)
    pen.globalAlpha = 1
  }
}

/** The steps of the first recording by their numbers. */
function paintSteps(pen: CanvasRenderingContext2D, frame: Frame): void {
  const [source] = frame.sources
  if (!source) return
  const { palette, width } = frame
  pen.font = `10px ${palette.font}`
  pen.textBaseline = 'middle'
  pen.textAlign = 'center'
  for (const { number, begin_ns: begin, end_ns: end } of stepsIn(source, frame.span, width)) {
    const [x0, x1] = [
      Math.max(0, xOf(frame, begin + source.offset)),
      Math.min(width, xOf(frame, end + source.offset)),
    ]
    if (x1 - x0 < 3) continue
    pen.fillStyle = palette.band
    pen.fillRect(x0, 18, x1 - x0 - 1, 11)
    if (x1 - x0 < STEP_LABEL_PX) continue
    pen.fillStyle = palette.muted
    pen.fillText(`# ${number}`, (x0 + x1) / 2, 24)
  }
}

/** Where along the recordings something that is looked for is. */
function paintDensity(pen: CanvasRenderingContext2D, frame: Frame): void {
  frame.densities.forEach((density, at) => {
    const source = frame.sources[at]
    if (!source) return
    const { from_ns: from, to_ns: to } = source.about
    const most = Math.max(...density, 1)
    const length = (to - from) / density.length
    pen.fillStyle = frame.palette.danger
    density.forEach((count, i) => {
      if (count === 0) return
      const x = xOf(frame, from + i * length + source.offset)
      const end = xOf(frame, from + (i + 1) * length + source.offset)
      if (end < 0 || x > frame.width) return
      pen.globalAlpha = 0.35 + 0.65 * (count / most)
      pen.fillRect(x, RULER - 1 - DENSITY, Math.max(1, end - x), DENSITY)
    })
    pen.globalAlpha = 1
  })
}
