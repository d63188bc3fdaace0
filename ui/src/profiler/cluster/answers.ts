/** What the service tells of many ranks. */

export interface Cause {
  readonly kind: 'part' | 'operator'
  readonly name: string
  readonly here: number
  readonly usual: number
}

export interface Rank {
  readonly rank: number
  readonly profile: string
  readonly run: string
  readonly run_name: string
  readonly stage: number | null
  readonly duration: number | null
  readonly parts: Readonly<Record<string, number>>
  readonly overlapped: number | null
  readonly interval?: number
  readonly forward_backward?: number
  readonly tail?: number
  /** The three times before are the profiler's own averages. */
  readonly is_told: boolean
  readonly slowest_steps: number
  readonly lateness: { readonly votes: number; readonly late: number | null; readonly wait: number | null }
}

export interface Link {
  readonly rank: number
  readonly source: number
  readonly target: number
  readonly kind: string
  readonly milliseconds: number
  readonly megabytes: number
  readonly gigabytes_per_second: number
  readonly is_slow: boolean
}

export interface Cluster {
  readonly ranks: readonly Rank[]
  readonly measure: string
  readonly steps: {
    readonly total: number
    readonly numbers: readonly number[]
    /** One list for each rank. */
    readonly times: readonly (readonly (number | null)[])[]
    /** Positions of ranks. */
    readonly slowest: readonly (number | null)[]
  }
  readonly interval: { readonly at: number; readonly interval: number; readonly mean: number; readonly above: number; readonly is_long: boolean; readonly causes: readonly Cause[] } | null
  readonly stages: readonly { readonly stage: number; readonly ranks: readonly number[]; readonly duration: number | null; readonly parts: Readonly<Record<string, number>> }[]
  readonly method: 'collectives' | 'steps'
  readonly collectives: number
  readonly stragglers: readonly { readonly at: number; readonly voted_steps: number; readonly late: number | null; readonly causes: readonly Cause[] }[]
  readonly links: { readonly links: readonly Link[]; readonly means: Readonly<Record<string, number>> }
}

/** Which numbers a rank's row in the table has. */
export const rowOf = ({ rank, run_name, stage, duration, parts, overlapped, interval, forward_backward: both, tail, slowest_steps, lateness }: Rank, at: number): Readonly<Record<string, string | number | null>> => ({
  at, rank, run: run_name, stage, duration, ...parts, overlapped, interval: interval ?? null, forward_backward: both ?? null, tail: tail ?? null, late: lateness.late, wait: lateness.wait, votes: lateness.votes, slowest_steps,
})
