/** The surroundings of a run, kept up to date. */

import { onScopeDispose, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchNeighbourhood, type LineageNeighbourhood } from '@/api/lineageGraph'
import { noteRefusal, onChanges } from '@/state/live'

export interface NeighbourhoodSource {
  /** Null until it is known. */
  readonly found: Readonly<Ref<LineageNeighbourhood | null>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

/** Any run may come to belong to the surroundings; while trainings write, they are asked for at most this often. */
const REST_MS = 3000

export function useNeighbourhood(run: () => string, depth: () => number): NeighbourhoodSource {
  const found = shallowRef<LineageNeighbourhood | null>(null)
  const error = shallowRef<unknown>(null)
  let abort = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  let last = ''

  async function load(): Promise<void> {
    abort.abort()
    abort = new AbortController()
    clearTimeout(timer)
    timer = undefined
    try {
      const answer = await fetchNeighbourhood(run(), depth(), abort.signal)
      error.value = null
      // Most news are not about lineage; what is drawn stays as it is.
      const text = JSON.stringify(answer)
      if (text === last) return
      last = text
      found.value = answer
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }
  watch([run, depth], () => void load(), { immediate: true })
  onChanges(() => {
    timer ??= setTimeout(() => void load(), REST_MS)
  })
  onScopeDispose(() => {
    abort.abort()
    clearTimeout(timer)
  })
  return { found, error, retry: () => void load() }
}
