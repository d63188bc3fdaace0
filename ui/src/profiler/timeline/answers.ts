/** What the service says about slices of a timeline. */

export interface SliceEntry {
  readonly row: number
  readonly name: string
  readonly track: number
  readonly lane: number
  readonly start_ns: number
  readonly duration_ns: number
}

export interface SliceInfo extends SliceEntry {
  /** Milliseconds. */
  readonly self: number
  readonly parents: readonly { readonly row: number }[]
  readonly children: readonly SliceEntry[]
  readonly launched: readonly SliceEntry[]
  readonly launched_by: SliceEntry | null
}

export interface Flow {
  readonly name: string
  readonly begin_ns: number
  readonly begin_track: number
  readonly begin_lane: number
  readonly begin_row: number
  readonly end_ns: number
  readonly end_track: number
  readonly end_lane: number
  readonly end_row: number
}

export interface FlowAnswer {
  /** Those of the answer are evenly chosen where it has a limit. */
  readonly total: number
  readonly flows: readonly Flow[]
}

export interface SearchAnswer {
  readonly total: number
  readonly rows: readonly SliceEntry[]
  readonly density: readonly number[]
}
