import type { StepSeries } from '@rest'
import { fetchSeries } from '@/base/api/seriesBatching'

export type { StepSeries }

export interface StepsQuery {
  readonly kind: string
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

/** Every step of some tags, without what was logged there. */
export async function fetchSteps(
  { kind, runs, tags, withSuperseded }: StepsQuery,
  signal?: AbortSignal,
): Promise<readonly StepSeries[]> {
  return fetchSeries(
    'steps',
    { kind, run: runs, tag: tags, resume: withSuperseded ? 'all' : undefined },
    signal,
  )
}
