/** The scalar tags of the chosen runs together. */

import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchScalarTags, type ScalarTag } from '@/api/scalars'
import { noteRefusal, onChanges } from './live'

export interface ScalarTags {
  readonly tags: Readonly<Ref<readonly ScalarTag[]>>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

export function useScalarTags(runs: () => readonly string[]): ScalarTags {
  const tags = shallowRef<readonly ScalarTag[]>([])
  const isLoaded = ref(false)
  const error = shallowRef<unknown>(null)
  let abort: AbortController | null = null

  async function load(): Promise<void> {
    abort?.abort()
    const asked = runs()
    if (asked.length === 0) {
      tags.value = []
      return
    }
    const mine = new AbortController()
    abort = mine
    try {
      const found = await fetchScalarTags(asked, mine.signal)
      if (mine.signal.aborted) return
      tags.value = found
      isLoaded.value = true
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    } finally {
      if (abort === mine) abort = null
    }
  }

  watch(() => runs().join('\n'), () => void load(), { immediate: true })
  onChanges((changes) => {
    // A slow answer is worth waiting for; the next change comes within a second.
    if (abort || runs().length === 0) return
    if (changes.runs.length === 0 || runs().some((run) => changes.runs.includes(run))) void load()
  })
  onScopeDispose(() => abort?.abort())

  return { tags, isLoaded, error, retry: () => void load() }
}
