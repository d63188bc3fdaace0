/** Names and facts of chosen runs. */

import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchRunsById, type Run } from '@/api/runs'
import { noteRefusal, onChanges } from './live'

export interface RunInfo {
  /** The runs that exist, by id. */
  readonly runs: Readonly<Ref<ReadonlyMap<string, Run>>>
  /** Whether every asked id was looked up. */
  readonly isComplete: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

export function useRunInfo(ids: () => readonly string[]): RunInfo {
  const runs = shallowRef<ReadonlyMap<string, Run>>(new Map())
  const asked = shallowRef<ReadonlySet<string>>(new Set())
  const error = shallowRef<unknown>(null)
  const stale = ref(0)
  let abort: AbortController | null = null

  async function look(wanted: readonly string[]): Promise<void> {
    if (wanted.length === 0) return
    abort?.abort()
    const mine = new AbortController()
    abort = mine
    try {
      const found = await fetchRunsById(wanted, mine.signal)
      if (mine.signal.aborted) return
      const known = new Map(runs.value)
      for (const id of wanted) known.delete(id)
      for (const run of found) known.set(run.id, run)
      runs.value = known
      asked.value = new Set([...asked.value, ...wanted])
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }

  const missing = (): readonly string[] => ids().filter((id) => !asked.value.has(id))

  watch([() => ids().join('\n'), stale], () => void look(missing()), { immediate: true })

  onChanges((changes) => {
    const isAny = changes.runs.length === 0 && changes.removed.length === 0
    const touched = ids().filter((id) => isAny || changes.runs.includes(id) || changes.removed.includes(id))
    void look([...new Set([...touched, ...missing()])])
  })
  onScopeDispose(() => abort?.abort())

  return {
    runs,
    isComplete: computed(() => ids().every((id) => asked.value.has(id))),
    error,
    retry: () => stale.value++,
  }
}
