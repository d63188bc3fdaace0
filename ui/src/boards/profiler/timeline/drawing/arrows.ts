/** Arrows between slices: from a launch to what it launched, from forward to backward. */

import type { Flow, SliceInfo } from '@/boards/profiler/timeline/responses'

/** Times as in the recording. */
export interface Arrow {
  readonly source: number
  readonly name: string
  readonly from: ArrowEnd
  readonly to: ArrowEnd
}

export interface ArrowEnd {
  readonly row: number
  readonly track: number
  readonly lane: number
  readonly time: number
}

export function arrowOf(source: number, flow: Flow): Arrow {
  return {
    source,
    name: flow.name,
    from: { row: flow.begin_row, track: flow.begin_track, lane: flow.begin_lane, time: flow.begin_ns },
    to: { row: flow.end_row, track: flow.end_track, lane: flow.end_lane, time: flow.end_ns },
  }
}

const endOf = ({
  row,
  track,
  lane,
  start_ns: time,
}: Pick<SliceInfo, 'row' | 'track' | 'lane' | 'start_ns'>): ArrowEnd => ({ row, track, lane, time })

/** Those of one slice: its launches, and `flows` of the recording that begin or end with it; each once. */
export function arrowsOf(source: number, slice: SliceInfo, flows: readonly Flow[]): readonly Arrow[] {
  const own = endOf(slice)
  const launches = slice.launched.map((work): Arrow => ({
    source,
    name: 'launch',
    from: own,
    to: endOf(work),
  }))
  if (slice.launched_by) launches.push({ source, name: 'launch', from: endOf(slice.launched_by), to: own })
  const others = flows.map((flow) => arrowOf(source, flow))
  const unique = new Map(
    [...launches, ...others].map((arrow) => [`${arrow.from.row} ${arrow.to.row}`, arrow]),
  )
  return [...unique.values()]
}
