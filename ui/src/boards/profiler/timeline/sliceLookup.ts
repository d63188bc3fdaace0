/** Which slice lies where. */

import { laneAt, laneTop, rowsIn, type Layout, type TrackRow } from './drawing/rowLayout'
import { lastBefore } from './tiles/decode'
import { levelOf, placesIn } from './tiles/tiles'
import type { Source } from './tiles/traceSource'
import type { Span } from './viewport'

/** A slice as it is drawn; times on the clock of the timeline. */
export interface Drawn {
  readonly source: number
  readonly track: number
  readonly lane: number
  readonly row: number
  readonly name: string
  readonly begin: number
  readonly duration: number
  /** Above 1: so many together, too narrow for one each. */
  readonly count: number
}

/** How near to a slice is near enough. */
const NEAR_PX = 3

/** The slice at a time and a height, null for none. */
export function sliceAt(
  layout: Layout,
  sources: readonly (Source | null)[],
  time: number,
  height: number,
  nsPerPixel: number,
): Drawn | null {
  const row = rowsIn(layout, height, height + 1)[0]
  const lane = row?.kind === 'track' ? laneAt(row, height) : null
  const source = row ? sources[row.source] : null
  if (row?.kind !== 'track' || lane === null || !source) return null
  const own = time - source.offset
  const near = NEAR_PX * nsPerPixel
  const place = placesIn({ from: own, to: own + 1e-6 }, levelOf(nsPerPixel))[0]!
  for (const tile of [...source.tiles.best(place, row.track)].reverse()) {
    const slices = own >= tile.span.from && own < tile.span.to ? tile.lanes.get(lane) : undefined
    if (!slices) continue
    const before = lastBefore(slices, own)
    const distance = (i: number): number =>
      Math.max(slices.begin[i]! - own, own - slices.begin[i]! - slices.duration[i]!, 0)
    const nearest = [before, before + 1]
      .filter((i) => i >= 0 && i < slices.begin.length && distance(i) <= near)
      .sort((a, b) => distance(a) - distance(b))[0]
    if (nearest === undefined) continue
    return {
      source: row.source,
      track: row.track,
      lane,
      row: slices.row[nearest]!,
      name: source.texts[slices.name[nearest]!] ?? '',
      begin: slices.begin[nearest]! + source.offset,
      duration: slices.duration[nearest]!,
      count: slices.count[nearest]!,
    }
  }
  return null
}

/** By recording and track: arrows ask for many of thousands of rows in every picture. */
const rowsOfTracks = new WeakMap<Layout, ReadonlyMap<string, TrackRow>>()

/** The row of a track, null where it is folded away. */
export function rowOf(layout: Layout, source: number, track: number): TrackRow | null {
  let rows = rowsOfTracks.get(layout)
  if (!rows)
    rowsOfTracks.set(
      layout,
      (rows = new Map(
        layout.rows.flatMap((row) =>
          row.kind === 'track' ? [[`${row.source} ${row.track}`, row] as const] : [],
        ),
      )),
    )
  return rows.get(`${source} ${track}`) ?? null
}

/** Tracks that a stretch of heights touches. */
export const tracksIn = (layout: Layout, { from, to }: Span): readonly TrackRow[] =>
  rowsIn(layout, from, Math.max(to, from + 1)).filter((row) => row.kind === 'track')

/** Where a lane is drawn, null where its track is not shown. */
export function laneBox(
  layout: Layout,
  source: number,
  track: number,
  lane: number,
): { readonly y: number; readonly height: number } | null {
  const row = rowOf(layout, source, track)
  return row && { y: laneTop(row, lane), height: row.laneHeight }
}
