/** The tags of one kind of data in the chosen runs together. */

import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchRunTags } from '@/api/runs'
import { noteRefusal, onChanges } from './live'

export interface ItemTags {
  /** Each tag with the runs that have it. */
  readonly tags: Readonly<Ref<ReadonlyMap<string, readonly string[]>>>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

/** Calls in flight at once; cards want connections too. */
const CALLS = 4

export function useItemTags(runs: () => readonly string[], kind: string): ItemTags {
  const found = shallowRef<ReadonlyMap<string, readonly string[]>>(new Map()) // by run
  const isLoaded = ref(false)
  const error = shallowRef<unknown>(null)
  const stale = new Set<string>()
  let abort: AbortController | null = null

  async function load(): Promise<void> {
    abort?.abort()
    const mine = new AbortController()
    abort = mine
    const waiting = runs().filter((run) => stale.has(run) || !found.value.has(run))
    if (waiting.length === 0) {
      isLoaded.value ||= runs().length > 0
      return
    }
    const answers = new Map<string, readonly string[]>()
    const work = async (): Promise<void> => {
      for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
        const tags = await fetchRunTags(run, mine.signal)
        answers.set(run, (tags[kind] ?? []).map(({ tag }) => tag))
        stale.delete(run)
      }
    }
    try {
      await Promise.all(Array.from({ length: CALLS }, work))
      if (mine.signal.aborted) return
      found.value = new Map([...found.value, ...answers])
      isLoaded.value = true
      error.value = null
    } catch (problem) {
      for (const run of answers.keys()) stale.add(run) // fetched, but not shown
      if (isAbort(problem)) return
      mine.abort()
      noteRefusal(problem)
      error.value = problem
    } finally {
      if (abort === mine) abort = null
    }
  }

  watch(() => runs().join('\n'), () => void load(), { immediate: true })
  onChanges((changes) => {
    for (const run of changes.runs.length === 0 ? runs() : changes.runs) stale.add(run)
    // A slow answer is worth waiting for; the next change comes within a second.
    if (!abort && runs().some((run) => stale.has(run))) void load()
  })
  onScopeDispose(() => abort?.abort())

  const tags = computed(() => {
    const together = new Map<string, string[]>()
    for (const run of runs()) {
      for (const tag of found.value.get(run) ?? []) {
        const own = together.get(tag)
        if (own) own.push(run)
        else together.set(tag, [run])
      }
    }
    return together
  })

  return { tags, isLoaded, error, retry: () => void load() }
}
