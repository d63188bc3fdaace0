/** The scalar tags of the chosen runs together. */

import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { isAbort } from '@/api/client'
import { fetchScalarTags, type ScalarTag } from '@/api/scalars'
import type { TagSource } from './itemTags'
import { noteRefusal, onChanges } from './live'
import type { BoardTag } from './tagBoard'

export interface ScalarBoardTag extends BoardTag {
  /** NaN and infinite values over all runs. */
  readonly nonFinite: number
}

const boardTag = ({ tag, runs, last_step, non_finite }: ScalarTag): ScalarBoardTag => ({ tag, runs, lastStep: last_step, nonFinite: non_finite })

export function useScalarTags(runs: () => readonly string[]): TagSource<ScalarBoardTag> {
  const tags = shallowRef<readonly ScalarBoardTag[]>([])
  const isAnswered = ref(false)
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
      tags.value = found.map(boardTag)
      isAnswered.value = true
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

  return { tags, isLoaded: computed(() => isAnswered.value || runs().length === 0), error, retry: () => void load() }
}
