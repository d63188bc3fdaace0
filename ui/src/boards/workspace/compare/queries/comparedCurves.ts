/** The curves of one chart of the comparison: all of them, and finer ones of the part that is in view. */

import { computed, type ComputedRef } from 'vue'
import { changesOf, useQuery, type QueryState } from '@/base/api/query'
import { fetchComparison, type ComparedQuery, type Comparison } from './api'
import type { CurvePrefetch } from './prefetch'

export interface ComparedCurves extends QueryState<Comparison> {
  /** What is to be drawn. */
  readonly comparison: ComputedRef<Comparison | null>
}

const SETTLE_MS = 140

/** `early` has what was asked for before the runs were known. */
export function useComparedCurves(
  query: () => ComparedQuery,
  isActive: () => boolean,
  early?: CurvePrefetch,
): ComparedCurves {
  const concerns = changesOf(() => query().runs)
  const keyOf = (asked: ComparedQuery): string | null =>
    asked.runs.length > 0 ? JSON.stringify(asked) : null
  const whole = useQuery<Comparison>({
    key: () => keyOf({ ...query(), within: null }),
    fetch: async (signal) => {
      const asked = { ...query(), within: null }
      return (await early?.take(asked)) ?? fetchComparison(asked, signal)
    },
    concerns,
    isActive,
    debounceMs: SETTLE_MS,
  })
  const isDownsampled = computed(
    () =>
      whole.answer.value?.curves.some(({ xs, totalPoints, n }) => n !== null || xs.length < totalPoints) ??
      false,
  )
  const part = useQuery<{ readonly key: string | null; readonly found: Comparison }>({
    key: () => (query().within && isDownsampled.value ? keyOf(query()) : null),
    fetch: async (signal) => {
      const asked = query()
      return { key: keyOf(asked), found: await fetchComparison(asked, signal) }
    },
    concerns,
    isActive,
    debounceMs: SETTLE_MS,
  })
  return {
    ...whole,
    isLoading: computed(() => whole.isLoading.value || part.isLoading.value),
    comparison: computed(() => {
      const asked = query()
      if (asked.runs.length === 0)
        return { runs: [], curves: [], without: 0, superseded: 0, isByTime: false, cache: null }
      const finer = asked.within && part.answer.value?.key === keyOf(asked) ? part.answer.value.found : null
      return finer ?? whole.answer.value
    }),
  }
}
