/** The graphs of a run, and the one of them that is shown. */

import { computed, onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import { fetchGraphs, type GraphInfo } from '@/api/graphs'
import { isAbort } from '@/api/client'
import { noteRefusal, onChanges } from '@/state/live'

export interface GraphList {
  /** Null until they are known. */
  readonly graphs: Readonly<Ref<readonly GraphInfo[] | null>>
  readonly shown: Readonly<Ref<GraphInfo | null>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

export function useGraphList(run: () => string | null, chosen: () => string | null): GraphList {
  const graphs = shallowRef<readonly GraphInfo[] | null>(null)
  const error = shallowRef<unknown>(null)
  let abort = new AbortController()

  async function load(): Promise<void> {
    abort.abort()
    const id = run()
    if (id === null) return
    const mine = (abort = new AbortController())
    try {
      const found = await fetchGraphs(id, mine.signal)
      if (mine.signal.aborted) return
      graphs.value = found
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }
  watch(run, () => {
    graphs.value = null
    error.value = null
    void load()
  }, { immediate: true })
  onChanges(({ runs, removed }) => {
    const id = run()
    if (id !== null && (runs.length + removed.length === 0 || runs.includes(id) || removed.includes(id))) void load()
  })
  onScopeDispose(() => abort.abort())

  // A graph that arrives does not take the place of the one that somebody looks at.
  let last: string | null = null
  const shown = computed(() => {
    const known = graphs.value ?? []
    const wanted = chosen() ?? last
    const found = known.find(({ graph }) => graph === wanted) ?? known[0] ?? null
    last = found?.graph ?? null
    return found
  })
  return { graphs, shown, error, retry: () => void load() }
}
