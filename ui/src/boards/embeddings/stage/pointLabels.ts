/** Names beside points, as many as fit without touching, and rings around the points that matter. */

import type { ChartColours } from '@/base/theme'
import { project, type Projecting } from '@/plot/scene/projecting'
import type { Decoration } from '@/plot/scene/stage'

export interface Labelled {
  readonly positions: Float32Array
  readonly nameOf: (point: number) => string
  readonly isShown: (point: number) => boolean
  /** Points that are named in any case, the most important first. */
  readonly named: readonly number[]
  /** Further points to name while there is room; null: none. */
  readonly others: Iterable<number> | null
  /** The selected point, which has a ring; -1: none. */
  readonly selected: number
  /** Pixels across that a point has. */
  readonly size: number
}

const MOST_NAMED = 120
const MOST_TRIED = 6000
const LONGEST = 28 // characters
const ROW = 15 // pixels
const AIR = 6

export const shortened = (text: string, most = LONGEST): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

export class PointLabels implements Decoration {
  labelled: Labelled | null = null

  constructor(public colours: ChartColours) {}

  draw(pen: CanvasRenderingContext2D, projecting: Projecting): void {
    const { labelled } = this
    if (!labelled) return
    pen.font = `12px ${this.colours.font}`
    pen.textBaseline = 'middle'
    pen.lineJoin = 'round'
    const room = new Room()
    this.ring(pen, projecting, labelled)
    let named = 0
    for (const point of labelled.named) if (this.name(pen, projecting, labelled, point, room, true)) named++
    if (!labelled.others) return
    let tried = 0
    for (const point of labelled.others) {
      if (named >= MOST_NAMED || ++tried > MOST_TRIED) return
      if (this.name(pen, projecting, labelled, point, room, false)) named++
    }
  }

  private ring(
    pen: CanvasRenderingContext2D,
    projecting: Projecting,
    { positions, selected, size }: Labelled,
  ): void {
    if (selected < 0) return
    const place = project(
      projecting,
      positions[selected * 3]!,
      positions[selected * 3 + 1]!,
      positions[selected * 3 + 2]!,
    )
    if (!place) return
    for (const [width, colour] of [
      [4, this.colours.surface],
      [2, this.colours.accent],
    ] as const) {
      pen.lineWidth = width
      pen.strokeStyle = colour
      pen.beginPath()
      pen.arc(place.x, place.y, size * 0.75 + 4, 0, Math.PI * 2)
      pen.stroke()
    }
  }

  /** Whether there was room for it. */
  private name(
    pen: CanvasRenderingContext2D,
    projecting: Projecting,
    { positions, nameOf, isShown, size }: Labelled,
    point: number,
    room: Room,
    isStrong: boolean,
  ): boolean {
    if (!isShown(point)) return false
    const place = project(
      projecting,
      positions[point * 3]!,
      positions[point * 3 + 1]!,
      positions[point * 3 + 2]!,
    )
    if (
      !place ||
      place.depth > 1 ||
      place.x < 0 ||
      place.y < 0 ||
      place.x > projecting.width ||
      place.y > projecting.height
    )
      return false
    const text = shortened(nameOf(point))
    const x = place.x + size / 2 + AIR
    if (!room.take(x, place.y, pen.measureText(text).width)) return false
    pen.lineWidth = 3
    pen.strokeStyle = this.colours.surface
    pen.strokeText(text, x, place.y)
    pen.fillStyle = isStrong ? this.colours.accent : this.colours.text
    pen.fillText(text, x, place.y)
    return true
  }
}

/** Where names already stand. */
class Room {
  private readonly rows = new Map<number, { readonly from: number; readonly to: number }[]>()

  take(x: number, y: number, width: number): boolean {
    const middle = Math.floor(y / ROW)
    const touches = (row: number): boolean =>
      (this.rows.get(row) ?? []).some(({ from, to }) => x < to + AIR && x + width > from - AIR)
    if (touches(middle - 1) || touches(middle) || touches(middle + 1)) return false
    this.rows.set(middle, [...(this.rows.get(middle) ?? []), { from: x, to: x + width }])
    return true
  }
}
