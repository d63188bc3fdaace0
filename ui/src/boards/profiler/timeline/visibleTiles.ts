/** Which tiles a view needs. */

import { rowsIn, type Layout } from './drawing/rowLayout'
import type { Need } from './tiles/tileFetching'
import { levelOf, placesIn, spanOf, type Place } from './tiles/tiles'
import type { Source } from './tiles/traceSource'
import { lengthOf, type Span } from './viewport'

/** So much coarser is what surrounds the view, for the next move of it. */
const AROUND = 3

const distance = (place: Place, middle: number): number => {
  const { from, to } = spanOf(place)
  return Math.abs((from + to) / 2 - middle)
}

/** Those in sight first, from the middle outwards. */
export function needsOf(
  layout: Layout,
  at: number,
  { offset, tiles }: Source,
  view: Span,
  width: number,
  top: number,
  bottom: number,
): readonly Need[] {
  const tracks = rowsIn(layout, top, bottom).flatMap((row) =>
    row.kind === 'track' && row.source === at ? [row.track] : [],
  )
  const span = { from: view.from - offset, to: view.to - offset }
  const level = levelOf(lengthOf(span) / width)
  const middle = (span.from + span.to) / 2
  const inSight = [...placesIn(span, level)].sort((a, b) => distance(a, middle) - distance(b, middle))
  return [...inSight, ...placesIn(span, level + AROUND)]
    .map((place) => ({ place, tracks: tracks.filter((track) => !tiles.has(place, track)) }))
    .filter(({ tracks }) => tracks.length > 0)
}
