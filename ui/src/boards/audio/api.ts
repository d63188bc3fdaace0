import type * as rest from '@rest'
import { fetchSeries } from '@/base/api/seriesBatching'
import type { Superseding } from '@/board/steps/superseded'

/** One sound; one that cannot be heard has an `error` instead of a `url`. */
export type Sound = rest.AudioItem
export type AudioSeries = Superseding<rest.AudioSeries>

export interface AudioQuery {
  readonly runs: readonly string[]
  readonly tag: string
  /** At most so many steps of each run, the last among them; all when left out. */
  readonly maxSteps?: number
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

/** Every sound of a tag in these runs. */
export function fetchAudio(
  { runs, tag, maxSteps, withSuperseded }: AudioQuery,
  signal?: AbortSignal,
): Promise<readonly AudioSeries[]> {
  return fetchSeries(
    'audio',
    { run: runs, tag: [tag], max_steps: maxSteps, resume: withSuperseded ? 'all' : undefined },
    signal,
  )
}
