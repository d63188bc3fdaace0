/** What sounds look like, kept while they may be looked at again. */

import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { fetchFile, isAbort } from '@/api/client'
import type { Heard } from '@/sounds/hearing'

/** Sounds up to this many samples are drawn unasked; playing a longer one loads only what is heard. */
export const MOST_UNASKED = 16_000_000
const MOST_KEPT = 60

/** By address, with its spectrogram or without. */
const kept = new Map<string, Heard>()

export interface Hearing {
  readonly heard: Readonly<ShallowRef<Heard | null>>
  readonly state: Readonly<Ref<'waiting' | 'ready' | 'undecodable' | 'failed'>>
  readonly error: Readonly<ShallowRef<unknown>>
  retry(): void
}

/** `url` is null for as long as nothing is wanted. */
export function useHeard(url: () => string | null, hasSpectrogram: () => boolean): Hearing {
  const heard = shallowRef<Heard | null>(null)
  const state = ref<'waiting' | 'ready' | 'undecodable' | 'failed'>('waiting')
  const error = shallowRef<unknown>(null)
  let abort: AbortController | null = null

  async function load(): Promise<void> {
    abort?.abort()
    const wanted = url()
    if (wanted === null) return
    const key = `${hasSpectrogram() ? 'spectrogram' : 'wave'} ${wanted}`
    const mine = new AbortController()
    abort = mine
    try {
      let found = kept.get(key) ?? null
      if (!found) {
        const blob = await fetchFile(wanted, mine.signal)
        const { hear } = await import('@/sounds/hearing')
        found = await hear(await blob.arrayBuffer(), hasSpectrogram())
        if (found) keep(key, found)
      }
      if (mine.signal.aborted) return
      heard.value = found
      state.value = found ? 'ready' : 'undecodable'
    } catch (problem) {
      if (mine.signal.aborted || isAbort(problem)) return
      error.value = problem
      state.value = 'failed'
    }
  }

  watch([url, hasSpectrogram], () => void load(), { immediate: true })
  onScopeDispose(() => abort?.abort())
  return { heard, state, error, retry: () => void load() }
}

function keep(key: string, found: Heard): void {
  kept.set(key, found)
  const oldest = kept.keys().next()
  if (kept.size > MOST_KEPT && !oldest.done) kept.delete(oldest.value)
}
