/** A recording on the timeline: what is known about it before any of its slices is fetched. */

import type { CounterName, StepRow, TimelineTracks, TrackRow } from '@rest'
import type { Profile } from '@/boards/profiler/shared/api'
import type { Fetching } from './tileFetching'
import type { Tiles } from './tiles'

export type TrackInfo = TrackRow
export type CounterInfo = CounterName
export type TrackAnswer = TimelineTracks
export type StepBand = Pick<StepRow, 'number' | 'begin_ns' | 'end_ns'>

export interface Source {
  readonly profile: Profile
  readonly about: TrackAnswer
  readonly texts: readonly string[]
  readonly steps: readonly StepBand[]
  readonly tiles: Tiles
  readonly fetching: Fetching
  /** Nanoseconds from its own times to those of the first recording. */
  readonly offset: number
}
