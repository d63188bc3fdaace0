/** A chart as a picture to keep: title, curves, names. For PNG and SVG alike. */

import type { ChartColours } from '@/base/theme'
import type { Line } from './curves'
import type { Pen } from './pen'

export interface Picture {
  readonly title: string
  readonly width: number
  readonly height: number
  /** What colours and dashes stand for; shown when there is more than one. */
  readonly names: readonly Pick<Line, 'name' | 'colour' | 'dash'>[]
  /** Draws the chart itself in an area of this size. */
  draw(pen: Pen, width: number, height: number): void
}

const TITLE = 34
const ROW = 18
const MOST_NAMES = 24

/** Draw `picture` over the whole area of `pen`, its background included. */
export function drawPicture(pen: Pen, picture: Picture, colours: ChartColours): void {
  const { title, width, height } = picture
  pen.fillStyle = colours.surface
  pen.fillRect(0, 0, width, height)
  pen.fillStyle = colours.text
  pen.textAlign = 'left'
  pen.textBaseline = 'middle'
  pen.font = `600 14px ${colours.font}`
  pen.fillText(fit(pen, title, width - 32), 16, TITLE / 2 + 2)

  const names = picture.names.slice(0, MOST_NAMES)
  const columns = Math.max(1, Math.floor((width - 32) / 260))
  const rows = names.length > 1 ? Math.ceil(names.length / columns) : 0
  const space = rows * ROW + (rows > 0 ? 12 : 8)
  pen.save()
  pen.translate(8, TITLE)
  picture.draw(pen, width - 16, height - TITLE - space)
  pen.restore()
  if (rows > 0)
    drawNames(pen, names, { columns, top: height - rows * ROW - 4, width: (width - 32) / columns, colours })
}

interface NamePlaces {
  readonly columns: number
  readonly top: number
  readonly width: number
  readonly colours: ChartColours
}

function drawNames(pen: Pen, names: Picture['names'], { columns, top, width, colours }: NamePlaces): void {
  pen.font = `11px ${colours.font}`
  pen.textAlign = 'left'
  pen.textBaseline = 'middle'
  names.forEach((line, i) => {
    const x = 16 + (i % columns) * width
    const y = top + Math.floor(i / columns) * ROW + ROW / 2
    pen.strokeStyle = line.colour
    pen.lineWidth = 2
    pen.setLineDash([...line.dash])
    pen.beginPath()
    pen.moveTo(x, y)
    pen.lineTo(x + 18, y)
    pen.stroke()
    pen.setLineDash([])
    pen.fillStyle = colours.text
    pen.fillText(fit(pen, line.name, width - 36), x + 24, y)
  })
}

/** `text` shortened in its middle until it is at most `width` pixels wide. */
export function fit(pen: Pick<Pen, 'measureText'>, text: string, width: number): string {
  if (pen.measureText(text).width <= width) return text
  const signs = Array.from(text)
  let lo = 1
  let hi = signs.length
  const shortened = (keep: number): string => {
    const tail = Math.floor(keep / 2)
    return `${signs.slice(0, keep - tail).join('')}…${tail > 0 ? signs.slice(-tail).join('') : ''}`
  }
  while (lo < hi) {
    const middle = (lo + hi + 1) >> 1
    if (pen.measureText(shortened(middle)).width <= width) lo = middle
    else hi = middle - 1
  }
  return shortened(lo)
}
