/** What a pointer does on the timeline: pull the view, mark a range, or touch a slice. */

import { RULER } from './drawing/frame'
import type { Layout } from './drawing/rowLayout'
import { tracksIn } from './sliceLookup'
import type { Span } from './viewport'

/** A range of time; of the tracks with these keys, null for all. */
export interface Area {
  readonly span: Span
  readonly tracks: ReadonlySet<string> | null
}

interface Place {
  readonly x: number
  readonly y: number
}

export interface Doings {
  readonly layout: () => Layout
  timeAt(x: number): number
  scrolled(): number
  hover(place: Place | null): void
  pull(dx: number, dy: number): void
  area(area: Area): void
  areaDone(area: Area): void
  click(place: Place): void
}

export interface Hands {
  down(event: PointerEvent): void
  move(event: PointerEvent): void
  up(event: PointerEvent): void
  cancel(): void
  leave(): void
}

const MOVED_PX = 3

export function pointing(doings: Doings): Hands {
  let start: {
    readonly place: Place
    readonly time: number
    readonly height: number
    readonly isRange: boolean
  } | null = null
  let last: Place = { x: 0, y: 0 }
  let hasMoved = false
  let area: Area | null = null

  const placeOf = ({ offsetX: x, offsetY: y }: PointerEvent): Place => ({ x, y })
  const heightAt = (y: number): number => Math.max(y, RULER) - RULER + doings.scrolled()

  function areaTo({ x, y }: Place): Area {
    const { time, height, place } = start!
    const other = doings.timeAt(x)
    const span = { from: Math.round(Math.min(time, other)), to: Math.round(Math.max(time, other)) }
    if (place.y < RULER) return { span, tracks: null }
    const heights = { from: Math.min(height, heightAt(y)), to: Math.max(height, heightAt(y)) }
    return { span, tracks: new Set(tracksIn(doings.layout(), heights).map(({ key }) => key)) }
  }

  return {
    down(event) {
      if (event.button !== 0) return
      const place = placeOf(event)
      start = {
        place,
        time: doings.timeAt(place.x),
        height: heightAt(place.y),
        isRange: event.shiftKey || place.y < RULER,
      }
      last = place
      hasMoved = false
      ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
    },
    move(event) {
      const place = placeOf(event)
      if (!start) return doings.hover(place)
      hasMoved ||= Math.hypot(place.x - start.place.x, place.y - start.place.y) > MOVED_PX
      if (!hasMoved) return
      doings.hover(null)
      if (start.isRange) doings.area((area = areaTo(place)))
      else doings.pull(place.x - last.x, place.y - last.y)
      last = place
    },
    up(event) {
      if (start && !hasMoved) doings.click(placeOf(event))
      if (area && area.span.to > area.span.from) doings.areaDone(area)
      start = area = null
    },
    cancel() {
      start = area = null
    },
    leave: () => doings.hover(null),
  }
}
