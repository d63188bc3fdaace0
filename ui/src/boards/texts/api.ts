import type * as rest from '@rest'
import { fetchSeries } from '@/base/api/seriesBatching'
import type { Superseding } from '@/board/steps/superseded'

export type TextItem = rest.TextItem
export type TextSeries = Superseding<rest.TextSeries>

export interface TextQuery {
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  /** Only texts with these words. */
  readonly contains?: string
  /** Only so many characters of each. */
  readonly preview?: number
  /** Only this step. */
  readonly step?: number
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

/** The texts of these tags and runs, of all steps unless one is asked for. */
export function fetchTexts(
  { runs, tags, contains, preview, step, withSuperseded }: TextQuery,
  signal?: AbortSignal,
): Promise<readonly TextSeries[]> {
  const parameters = {
    run: runs,
    tag: tags,
    contains: contains || undefined,
    preview,
    from_step: step,
    to_step: step,
    resume: withSuperseded ? 'all' : undefined,
  }
  return fetchSeries('texts', parameters, signal)
}
