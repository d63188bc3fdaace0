/** The timeline as it is seen, with the titles of its rows, as a picture to keep. */

import { prepareCanvas } from '@/plot/canvas/canvas'
import { RULER, type Frame } from './frame'
import { paint } from './paint'
import type { LanePainter } from './paintLanes'
import type { Row } from './rowLayout'

/** Pixels for one of the page: pictures are looked at larger than the page. */
const SHARP = 2

export function pictureOf(
  frame: Frame,
  rows: readonly Row[],
  titles: number,
  painter: LanePainter,
): Promise<Blob | null> {
  const canvas = document.createElement('canvas')
  const pen = prepareCanvas(canvas, frame.width + titles, frame.height, Math.max(SHARP, devicePixelRatio))
  pen.save()
  pen.translate(titles, 0)
  paint(pen, { ...frame, pointer: null, hovered: null }, painter)
  pen.restore()
  const { surface, text, border, font } = frame.palette
  pen.fillStyle = surface
  pen.fillRect(0, 0, titles, frame.height)
  pen.textBaseline = 'middle'
  pen.textAlign = 'left'
  for (const { kind, title, y, height } of rows) {
    const top = RULER + y - frame.scroll
    const isTitle = kind === 'process' || kind === 'recording'
    pen.fillStyle = border
    pen.fillRect(0, top + height - 1, titles, 1)
    pen.font = `${isTitle ? 'bold ' : ''}12px ${font}`
    pen.fillStyle = text
    if (top >= RULER)
      pen.fillText(
        title.length > 34 ? `${title.slice(0, 33)}…` : title,
        isTitle ? 6 : 16,
        top + 11,
        titles - 22,
      )
  }
  return new Promise((resolve) => canvas.toBlob(resolve, 'image/png'))
}
