/** The curves of one chart of the comparison: all of them, and finer ones of the part that is in view. */

import { computed, type ComputedRef } from 'vue'
import { fetchComparison, type ComparedQuery, type Comparison } from '@/api/compare'
import { useAnswer, type Answer } from './answer'
import type { HeadStart } from './headStart'

export interface ComparedCurves extends Answer<Comparison> {
  /** What is to be drawn. */
  readonly comparison: ComputedRef<Comparison | null>
}

const SETTLE_MS = 140

/** `early` has what was asked for before the runs were known. */
export function useComparedCurves(query: () => ComparedQuery, isActive: () => boolean, early: HeadStart): ComparedCurves {
  const concerns = ({ runs }: { readonly runs: readonly string[] }): boolean => {
    if (runs.length === 0) return true
    const changed = new Set(runs)
    return query().runs.some((run) => changed.has(run))
  }
  const keyOf = (asked: ComparedQuery): string | null => (isActive() && asked.runs.length > 0 ? JSON.stringify(asked) : null)
  const whole = useAnswer<Comparison>({
    key: () => keyOf({ ...query(), within: null }),
    ask: async (signal) => {
      const asked = { ...query(), within: null }
      return (await early.take(asked)) ?? fetchComparison(asked, signal)
    },
    concerns,
    settleMs: SETTLE_MS,
  })
  const isThinned = computed(() => whole.answer.value?.curves.some(({ xs, totalPoints, n }) => n !== null || xs.length < totalPoints) ?? false)
  const part = useAnswer<{ readonly key: string | null; readonly found: Comparison }>({
    key: () => (query().within && isThinned.value ? keyOf(query()) : null),
    ask: async (signal) => {
      const asked = query()
      return { key: keyOf(asked), found: await fetchComparison(asked, signal) }
    },
    concerns,
    settleMs: SETTLE_MS,
  })
  return {
    ...whole,
    isLoading: computed(() => whole.isLoading.value || part.isLoading.value),
    comparison: computed(() => {
      const asked = query()
      if (asked.runs.length === 0) return { runs: [], curves: [], without: 0, cache: null }
      const finer = asked.within && part.answer.value?.key === keyOf(asked) ? part.answer.value.found : null
      return finer ?? whole.answer.value
    }),
  }
}
