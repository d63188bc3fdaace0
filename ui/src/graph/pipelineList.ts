/** The data pipelines that a run has recorded. */

import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchPipelines, type Pipeline } from '@/api/pipelines'
import { noteRefusal, onChanges } from '@/state/live'

export interface PipelineList {
  /** Null until they are known. */
  readonly pipelines: Readonly<Ref<readonly Pipeline[] | null>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

export function usePipelines(run: () => string): PipelineList {
  const pipelines = shallowRef<readonly Pipeline[] | null>(null)
  const error = shallowRef<unknown>(null)
  let abort = new AbortController()
  let last = ''

  async function load(): Promise<void> {
    abort.abort()
    abort = new AbortController()
    try {
      const found = await fetchPipelines(run(), abort.signal)
      error.value = null
      // Most news of a run are not about its pipeline; what is drawn stays as it is.
      const text = JSON.stringify(found)
      if (text === last) return
      last = text
      pipelines.value = found
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }
  watch(run, () => {
    pipelines.value = null
    last = ''
    void load()
  }, { immediate: true })
  onChanges(({ runs, removed }) => {
    if (runs.length + removed.length === 0 || runs.includes(run()) || removed.includes(run())) void load()
  })
  onScopeDispose(() => abort.abort())
  return { pipelines, error, retry: () => void load() }
}
