/** Statistics over the steps: the mean as a line, around it bands to the standard deviation and to the extremes. */

import type { ChartColours } from '@/base/theme'
import type { Pen } from '@/plot/pen'
import { fraction, padded, type Scale } from '@/plot/scale'
import { linearTicks, type Ticks } from '@/plot/ticks'
import type { TensorStatistics } from './api'

export interface StatisticsLine {
  readonly name: string
  readonly colour: string
  readonly dash: readonly number[]
  /** In order of steps; without those that have no finite number. */
  readonly points: readonly { readonly step: number; readonly statistics: TensorStatistics }[]
}

export interface StatisticsLayout {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly steps: Scale
  readonly values: Scale
  readonly stepTicks: Ticks
  readonly valueTicks: Ticks
}

const TOP = 8
const BOTTOM = 22
const RIGHT = 10

export function layOutStatistics(
  lines: readonly StatisticsLine[],
  width: number,
  height: number,
  pen: Pick<Pen, 'measureText' | 'font'>,
  font: string,
): StatisticsLayout | null {
  const points = lines.flatMap((line) => line.points)
  if (points.length === 0) return null
  let [first, last, lo, hi] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const { step, statistics } of points) {
    first = Math.min(first, step)
    last = Math.max(last, step)
    lo = Math.min(lo, statistics.min)
    hi = Math.max(hi, statistics.max)
  }
  const values = padded([lo, hi], false)
  const valueTicks = linearTicks(values.lo, values.hi, Math.max(2, Math.floor((height - TOP - BOTTOM) / 34)))
  pen.font = `11px ${font}`
  const x = Math.ceil(Math.max(20, ...valueTicks.labels.map((label) => pen.measureText(label).width)) + 14)
  const steps =
    first === last ? { lo: first - 1, hi: last + 1, isLog: false } : { lo: first, hi: last, isLog: false }
  const inner = Math.max(10, width - x - RIGHT)
  return {
    x,
    y: TOP,
    width: inner,
    height: Math.max(10, height - TOP - BOTTOM),
    steps,
    values,
    valueTicks,
    stepTicks: linearTicks(steps.lo, steps.hi, Math.max(2, Math.floor(inner / 80)), true),
  }
}

export const stepPixel = ({ x, width, steps }: StatisticsLayout, step: number): number =>
  x + fraction(steps, step) * width
const valuePixel = ({ y, height, values }: StatisticsLayout, value: number): number =>
  y + (1 - fraction(values, value)) * height

export function drawStatistics(
  pen: Pen,
  lines: readonly StatisticsLine[],
  layout: StatisticsLayout,
  here: number | null,
  colours: ChartColours,
): void {
  const { x, y, width, height, stepTicks, valueTicks } = layout
  pen.font = `11px ${colours.font}`
  pen.lineWidth = 1
  pen.strokeStyle = colours.grid
  pen.fillStyle = colours.text
  pen.beginPath()
  pen.textAlign = 'right'
  pen.textBaseline = 'middle'
  valueTicks.values.forEach((value, i) => {
    const at = Math.round(valuePixel(layout, value)) + 0.5
    pen.moveTo(x, at)
    pen.lineTo(x + width, at)
    pen.fillText(valueTicks.labels[i]!, x - 6, at)
  })
  pen.textAlign = 'center'
  stepTicks.values.forEach((value, i) =>
    pen.fillText(stepTicks.labels[i]!, stepPixel(layout, value), y + height + 12),
  )
  pen.stroke()
  for (const line of lines) {
    drawBand(
      pen,
      line,
      layout,
      0.12,
      ({ min }) => min,
      ({ max }) => max,
    )
    drawBand(
      pen,
      line,
      layout,
      0.2,
      ({ mean, std }) => mean - std,
      ({ mean, std }) => mean + std,
    )
  }
  for (const line of lines) drawMean(pen, line, layout)
  if (here === null || here < layout.steps.lo || here > layout.steps.hi) return
  pen.strokeStyle = colours.accent
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(stepPixel(layout, here), y)
  pen.lineTo(stepPixel(layout, here), y + height)
  pen.stroke()
}

function drawBand(
  pen: Pen,
  { points, colour }: StatisticsLine,
  layout: StatisticsLayout,
  alpha: number,
  low: (statistics: TensorStatistics) => number,
  high: (statistics: TensorStatistics) => number,
): void {
  const clamp = (value: number): number => Math.min(layout.values.hi, Math.max(layout.values.lo, value))
  pen.save()
  pen.globalAlpha = alpha
  pen.fillStyle = colour
  pen.beginPath()
  points.forEach(({ step, statistics }, i) =>
    (i === 0 ? pen.moveTo : pen.lineTo).call(
      pen,
      stepPixel(layout, step),
      valuePixel(layout, clamp(high(statistics))),
    ),
  )
  for (const { step, statistics } of [...points].reverse())
    pen.lineTo(stepPixel(layout, step), valuePixel(layout, clamp(low(statistics))))
  pen.closePath()
  pen.fill()
  pen.restore()
}

function drawMean(pen: Pen, { points, colour, dash }: StatisticsLine, layout: StatisticsLayout): void {
  pen.strokeStyle = colour
  pen.fillStyle = colour
  pen.lineWidth = 1.5
  pen.setLineDash([...dash])
  pen.beginPath()
  points.forEach(({ step, statistics }, i) =>
    (i === 0 ? pen.moveTo : pen.lineTo).call(
      pen,
      stepPixel(layout, step),
      valuePixel(layout, statistics.mean),
    ),
  )
  pen.stroke()
  pen.setLineDash([])
  if (points.length > 40) return
  for (const { step, statistics } of points) {
    pen.beginPath()
    pen.arc(stepPixel(layout, step), valuePixel(layout, statistics.mean), 2, 0, 2 * Math.PI)
    pen.fill()
  }
}

/** The step of any line that is nearest to a place; null without points. */
export function nearestStep(
  lines: readonly StatisticsLine[],
  layout: StatisticsLayout,
  x: number,
): number | null {
  let nearest: number | null = null
  for (const { points } of lines) {
    for (const { step } of points)
      if (
        nearest === null ||
        Math.abs(stepPixel(layout, step) - x) < Math.abs(stepPixel(layout, nearest) - x)
      )
        nearest = step
  }
  return nearest
}
