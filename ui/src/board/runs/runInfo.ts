/** Names and facts of chosen runs. */

import { computed, watch, type Ref } from 'vue'
import { live } from '@/base/api/live'
import { useQuery } from '@/base/api/query'
import { fetchRunsById, type Run } from './api'

export interface RunInfo {
  /** The runs that exist, by id. */
  readonly runs: Readonly<Ref<ReadonlyMap<string, Run>>>
  /** Whether every id was looked up. */
  readonly isComplete: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

export function useRunInfo(ids: () => readonly string[]): RunInfo {
  const stale = new Set<string>()
  const {
    answer: runs,
    error,
    retry,
  } = useQuery<ReadonlyMap<string, Run | null>>({
    key: () => (ids().length > 0 ? ids().join('\n') : null),
    /** Only what is not known or has changed; null: there is no such run. */
    async fetch(signal, previous) {
      const before = previous ?? new Map<string, Run | null>()
      const missing = ids().filter((id) => stale.has(id) || !before.has(id))
      if (missing.length === 0) return before
      const byId = new Map((await fetchRunsById(missing, signal)).map((run) => [run.id, run]))
      for (const id of missing) if (!signal.aborted) stale.delete(id)
      return new Map([...before, ...missing.map((id) => [id, byId.get(id) ?? null] as const)])
    },
    concerns({ runs: changed, removed }) {
      const isAny = changed.length + removed.length === 0
      const touched = ids().filter((id) => isAny || changed.includes(id) || removed.includes(id))
      for (const id of touched) stale.add(id)
      return touched.length > 0
    },
    minIntervalMs: 0,
    steadyIntervalMs: 20_000,
  })
  // Labels and notes are part of a run.
  watch(live.annotations, () => {
    for (const id of ids()) stale.add(id)
    void retry()
  })
  return {
    runs: computed(() => new Map([...(runs.value ?? [])].flatMap(([id, run]) => (run ? [[id, run]] : [])))),
    isComplete: computed(() => ids().every((id) => runs.value?.has(id))),
    error,
    retry,
  }
}
