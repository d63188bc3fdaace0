/** Where the rows of the timeline lie: recordings, their processes, tracks and counters, one below the other. */

import type { CounterInfo, TrackInfo } from '@/boards/profiler/timeline/tiles/traceSource'

export const LANE = 18
const TITLE = 24
const GAP = 4
const FOLDED = 22
const FOLDED_LANES = 16
const COUNTER = 40

/** What the rows of a recording are made of. */
export interface Content {
  readonly id: string
  readonly title: string
  readonly tracks: readonly TrackInfo[]
  readonly counters: readonly CounterInfo[]
  /** What stands in its place as long as there are no tracks. */
  readonly note: string
}

interface RowBase {
  /** The same as long as the recording is; also what an address says. */
  readonly key: string
  /** Position of its recording. */
  readonly source: number
  readonly title: string
  readonly y: number
  readonly height: number
  readonly isFolded: boolean
}
export interface TitleRow extends RowBase {
  readonly kind: 'recording' | 'process'
  readonly note: string
}
export interface TrackRow extends RowBase {
  readonly kind: 'track'
  readonly isPinned: boolean
  readonly track: number
  readonly lanes: number
  readonly laneHeight: number
  readonly slices: number
}
export interface CounterRow extends RowBase {
  readonly kind: 'counter'
  readonly name: string
  readonly unit: string
}
export type Row = TitleRow | TrackRow | CounterRow

export interface Layout {
  readonly rows: readonly Row[]
  readonly height: number
}

/** Tracks by process, in the profiler's own order. */
function processesOf(tracks: readonly TrackInfo[]): ReadonlyMap<string, readonly TrackInfo[]> {
  const byProcess = new Map<string, TrackInfo[]>()
  for (const track of [...tracks].sort((a, b) => a.order - b.order)) {
    const members = byProcess.get(track.process)
    if (members) members.push(track)
    else byProcess.set(track.process, [track])
  }
  return byProcess
}

/** What the rows are called that no recording names. */
export interface RowTitles {
  readonly measures: string
  readonly pinned: string
}

/** Key of the title over the pinned tracks. */
const PINS = 'pins'

export function layoutOf(
  contents: readonly Content[],
  folded: ReadonlySet<string>,
  titles: RowTitles,
  pinned: ReadonlySet<string> = new Set(),
): Layout {
  const rows: Row[] = []
  let y = 0
  const place = <R extends Row>(row: Omit<R, 'y'>): void => {
    rows.push({ ...row, y } as unknown as R)
    y += row.height
  }
  /** Whether what belongs to the title is shown. */
  const entitle = (
    kind: TitleRow['kind'],
    key: string,
    source: number,
    title: string,
    note = '',
  ): boolean => {
    place<TitleRow>({ kind, key, source, title, note, height: TITLE, isFolded: folded.has(key) })
    return !folded.has(key)
  }
  const placeTrack = (
    { id: track, name, lanes, slices }: TrackInfo,
    key: string,
    source: number,
    title = name,
  ): void => {
    const isFolded = folded.has(key)
    const laneHeight = isFolded ? Math.max(1, Math.min(FOLDED_LANES / lanes, 8)) : LANE
    place<TrackRow>({
      kind: 'track',
      key,
      source,
      title,
      track,
      lanes,
      slices,
      laneHeight,
      isFolded,
      isPinned: pinned.has(key),
      height: isFolded ? FOLDED : lanes * LANE + GAP,
    })
  }
  // Pinned tracks stand on top, of whichever recording, and not once more in their place.
  const pins = contents.flatMap(({ id, title, tracks }, source) =>
    tracks
      .map((track) => ({ track, key: `${id}.${track.id}`, source, title }))
      .filter(({ key }) => pinned.has(key)),
  )
  if (pins.length > 0 && entitle('process', PINS, 0, titles.pinned))
    for (const { track, key, source, title } of pins)
      placeTrack(track, key, source, contents.length > 1 ? `${track.name} · ${title}` : track.name)
  contents.forEach(({ id, title, tracks, counters, note }, source) => {
    if (contents.length > 1 && !entitle('recording', id, source, title, note)) return
    let number = 0
    for (const [process, members] of processesOf(tracks)) {
      if (!entitle('process', `${id}.p${number++}`, source, process)) continue
      for (const track of members) {
        const key = `${id}.${track.id}`
        if (!pinned.has(key)) placeTrack(track, key, source)
      }
    }
    if (counters.length === 0 || !entitle('process', `${id}.c`, source, titles.measures)) return
    for (const { name, unit } of counters)
      place<CounterRow>({
        kind: 'counter',
        key: `${id}.c.${name}`,
        source,
        title: unit ? `${name} (${unit})` : name,
        name,
        unit,
        height: COUNTER,
        isFolded: false,
      })
  })
  return { rows, height: y }
}

/** The rows between two heights. */
export function rowsIn({ rows }: Layout, top: number, bottom: number): readonly Row[] {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]!.y + rows[middle]!.height <= top) low = middle + 1
    else high = middle
  }
  let end = low
  while (end < rows.length && rows[end]!.y < bottom) end++
  return rows.slice(low, end)
}

/** The first and one after the last lane of a track that lies between two heights. */
export function lanesIn(
  { y, lanes, laneHeight }: TrackRow,
  top: number,
  bottom: number,
): readonly [number, number] {
  const drawn = laneHeight < LANE ? Math.min(lanes, Math.floor(FOLDED_LANES / laneHeight)) : lanes
  return [
    Math.max(0, Math.floor((top - y - GAP / 2) / laneHeight)),
    Math.min(drawn, Math.ceil((bottom - y - GAP / 2) / laneHeight)),
  ]
}

export const laneTop = ({ y, laneHeight, isFolded }: TrackRow, lane: number): number =>
  y + (isFolded ? (FOLDED - FOLDED_LANES) / 2 : GAP / 2) + lane * laneHeight

/** The lane at a height, null between tracks. */
export function laneAt(row: TrackRow, height: number): number | null {
  const lane = Math.floor((height - laneTop(row, 0)) / row.laneHeight)
  return lane >= 0 && lane < row.lanes ? lane : null
}
