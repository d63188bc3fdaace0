/** Outlines that nodes and wires are drawn with. */

import type { Pen } from '@/plot/pen'
import type { Rect } from './scene'

export function roundedBox(pen: Pen, { x, y, width, height }: Rect, radius: number): void {
  const r = Math.min(radius, width / 2, height / 2)
  pen.beginPath()
  pen.moveTo(x + r, y)
  pen.lineTo(x + width - r, y)
  pen.quadraticCurveTo(x + width, y, x + width, y + r)
  pen.lineTo(x + width, y + height - r)
  pen.quadraticCurveTo(x + width, y + height, x + width - r, y + height)
  pen.lineTo(x + r, y + height)
  pen.quadraticCurveTo(x, y + height, x, y + height - r)
  pen.lineTo(x, y + r)
  pen.quadraticCurveTo(x, y, x + r, y)
  pen.closePath()
}

/** Through all points (x and y in turn), corners rounded by up to `radius`. */
export function roundedLine(pen: Pen, points: readonly number[], radius: number): void {
  pen.beginPath()
  pen.moveTo(points[0]!, points[1]!)
  for (let i = 2; i < points.length - 2; i += 2) {
    const [x0, y0, x, y, x1, y1] = points.slice(i - 2, i + 4) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    const [before, after] = [Math.hypot(x - x0, y - y0), Math.hypot(x1 - x, y1 - y)]
    const r = Math.min(radius, before / 2, after / 2)
    if (r < 0.5) {
      pen.lineTo(x, y)
      continue
    }
    pen.lineTo(x - ((x - x0) / before) * r, y - ((y - y0) / before) * r)
    pen.quadraticCurveTo(x, y, x + ((x1 - x) / after) * r, y + ((y1 - y) / after) * r)
  }
  pen.lineTo(points[points.length - 2]!, points[points.length - 1]!)
}

/** The tip of a wire, at its last point. */
export function arrowTip(pen: Pen, points: readonly number[], size: number): void {
  const [x0, y0, x, y] = points.slice(-4) as [number, number, number, number]
  const length = Math.hypot(x - x0, y - y0) || 1
  const [dx, dy] = [((x - x0) / length) * size, ((y - y0) / length) * size]
  pen.beginPath()
  pen.moveTo(x, y)
  pen.lineTo(x - dx - dy / 2, y - dy + dx / 2)
  pen.lineTo(x - dx + dy / 2, y - dy - dx / 2)
  pen.closePath()
}

/** The middle of the longest part of a line. */
export function middleOf(points: readonly number[]): readonly [number, number] {
  let best: readonly [number, number] = [points[0]!, points[1]!]
  let longest = -1
  for (let i = 0; i < points.length - 2; i += 2) {
    const [x0, y0, x1, y1] = points.slice(i, i + 4) as [number, number, number, number]
    const length = Math.hypot(x1 - x0, y1 - y0)
    if (length > longest) [best, longest] = [[(x0 + x1) / 2, (y0 + y1) / 2], length]
  }
  return best
}
