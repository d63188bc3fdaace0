/** The texts of one step. */

import { computed } from 'vue'
import type { Items } from '@/base/api/items'
import { useQuery } from '@/base/api/query'
import { fetchSteps, type StepsQuery } from '@/board/steps/api'
import { besideSuperseded } from '@/board/steps/superseded'
import { fetchTexts, type TextItem } from './api'

/** When something was logged. */
export interface Moment {
  readonly step: number
  readonly wall_time: number | string
}

/** One of these for each value of a series. */
export interface MomentSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly superseded: number
  readonly replaced?: number
  readonly items: readonly Moment[]
}

export async function fetchMoments(
  query: Omit<StepsQuery, 'kind'>,
  signal?: AbortSignal,
): Promise<readonly MomentSeries[]> {
  const series = await fetchSteps({ ...query, kind: 'text' }, signal)
  return series.map(({ run, tag, source, superseded, steps, wall_times }) => ({
    run,
    tag,
    source,
    superseded,
    items: steps.map((step, i) => ({ step, wall_time: wall_times[i]! })),
  }))
}

export interface TextPlace {
  readonly run: string
  readonly tag: string
  readonly source: string
  /** As of series. */
  readonly replaced: number
}

/** Steps that were looked at. */
const CACHE_SIZE = 30

/** The texts at a moment; `null`: none are wanted. What is shown stays until the next is there. */
export function useTextsAt(place: () => TextPlace, moment: () => Moment | null): Items<TextItem> {
  const cache = new Map<string, readonly TextItem[]>()
  // A step that was written again has another time.
  const key = (): string => JSON.stringify([place(), moment()?.step, moment()?.wall_time])

  async function fetch(signal: AbortSignal): Promise<readonly TextItem[]> {
    const [name, at, { run, tag, source, replaced }] = [key(), moment(), place()]
    const cached = at ? cache.get(name) : []
    if (cached) return cached
    const series = await besideSuperseded(fetchTexts)(
      { runs: [run], tags: [tag], step: at!.step, withSuperseded: replaced > 0 },
      signal,
    )
    const items =
      series.find((each) => each.source === source && (each.replaced ?? 0) === replaced)?.items ?? []
    cache.set(name, items)
    const oldest = cache.keys().next()
    if (cache.size > CACHE_SIZE && !oldest.done) cache.delete(oldest.value)
    return items
  }

  const { answer, ...state } = useQuery<readonly TextItem[]>({ key, fetch, concerns: () => false })
  return { ...state, series: computed(() => answer.value ?? []) }
}
