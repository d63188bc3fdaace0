/** Small pictures before the labels of nodes, in a square of 12 pixels. */

import type { Pen } from '@/plot/pen'

export type Glyph = 'data' | 'run' | 'checkpoint' | 'evaluation'

export const GLYPH = 12

/** Draws the outline of a glyph with its left top at `x` and `y`. */
export function drawGlyph(pen: Pen, glyph: Glyph, x: number, y: number, colour: string): void {
  pen.strokeStyle = colour
  pen.lineWidth = 1.3
  pen.beginPath()
  SHAPES[glyph](pen, x, y)
  pen.stroke()
}

const SHAPES: Readonly<Record<Glyph, (pen: Pen, x: number, y: number) => void>> = {
  /** A drum, as data is kept in. */
  data(pen, x, y) {
    const curve = (top: number, bend: number): void => {
      pen.moveTo(x + 1, y + top)
      pen.quadraticCurveTo(x + 6, y + top + bend, x + 11, y + top)
    }
    curve(2.5, -3)
    curve(2.5, 3)
    curve(6, 3)
    curve(9.5, 3)
    pen.moveTo(x + 1, y + 2.5)
    pen.lineTo(x + 1, y + 9.5)
    pen.moveTo(x + 11, y + 2.5)
    pen.lineTo(x + 11, y + 9.5)
  },
  /** What is set going. */
  run(pen, x, y) {
    pen.moveTo(x + 2.5, y + 1)
    pen.lineTo(x + 10.5, y + 6)
    pen.lineTo(x + 2.5, y + 11)
    pen.closePath()
  },
  /** A card with a corner cut off, and its label. */
  checkpoint(pen, x, y) {
    pen.moveTo(x + 1, y + 1)
    pen.lineTo(x + 8.5, y + 1)
    pen.lineTo(x + 11, y + 3.5)
    pen.lineTo(x + 11, y + 11)
    pen.lineTo(x + 1, y + 11)
    pen.closePath()
    pen.moveTo(x + 3.5, y + 11)
    pen.lineTo(x + 3.5, y + 7)
    pen.lineTo(x + 8.5, y + 7)
    pen.lineTo(x + 8.5, y + 11)
  },
  /** Found good. */
  evaluation(pen, x, y) {
    pen.moveTo(x + 1, y + 6.5)
    pen.lineTo(x + 4.5, y + 10)
    pen.lineTo(x + 11, y + 2)
  },
}
