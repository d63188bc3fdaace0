/** A recording on the timeline: what is known about it before any of its slices is fetched. */

import type { Profile } from '@/api/profiles'
import type { Fetching } from './fetching'
import type { Tiles } from './tiles'

export interface TrackInfo {
  readonly id: number
  readonly name: string
  readonly process: string
  readonly order: number
  readonly lanes: number
  readonly slices: number
}

export interface CounterInfo {
  readonly name: string
  readonly unit: string
}

export interface TrackAnswer {
  readonly from_ns: number
  readonly to_ns: number
  /** Unix time of 0, rounded to 256 ns by JSON, which clocks of two machines are not nearer to each other; 0 where unknown. */
  readonly origin_ns: number
  readonly tracks: readonly TrackInfo[]
  readonly counters: readonly CounterInfo[]
  readonly names_etag: string
}

export interface StepBand {
  readonly number: number
  readonly begin_ns: number
  readonly end_ns: number
}

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
