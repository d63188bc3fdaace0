/** The texts of one step. */

import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { isAbort } from '@/api/client'
import { fetchTexts, type TextItem } from '@/api/texts'
import type { Items } from './items'
import { noteRefusal } from './live'

/** When something was logged. */
export interface Moment {
  readonly step: number
  readonly wall_time: number | string
}

export interface TextPlace {
  readonly run: string
  readonly tag: string
  readonly source: string
}

/** As many steps that were looked at are kept. */
const MOST_KEPT = 30

/** The texts at a moment; `null`: none are wanted. What is shown stays until the next is there. */
export function useTextsAt(place: () => TextPlace, moment: () => Moment | null): Items<TextItem> {
  const series = shallowRef<readonly TextItem[]>([])
  const isLoaded = ref(false)
  const isLoading = ref(false)
  const error = shallowRef<unknown>(null)
  const kept = new Map<string, readonly TextItem[]>()
  let abort: AbortController | null = null

  function show(items: readonly TextItem[]): void {
    series.value = items
    isLoaded.value = true
    error.value = null
  }

  // A step that was written again has another time.
  const keyOf = (at: Moment | null): string => JSON.stringify([place(), at?.step, at?.wall_time])

  async function load(): Promise<void> {
    abort?.abort()
    isLoading.value = false
    const now = moment()
    if (!now) return show([])
    const key = keyOf(now)
    const known = kept.get(key)
    if (known) return show(known)
    const mine = new AbortController()
    abort = mine
    isLoading.value = true
    const { run, tag, source } = place()
    try {
      const found = await fetchTexts({ runs: [run], tags: [tag], step: now.step }, mine.signal)
      if (mine.signal.aborted) return
      const items = found.find((each) => each.source === source)?.items ?? []
      kept.set(key, items)
      const oldest = kept.keys().next()
      if (kept.size > MOST_KEPT && !oldest.done) kept.delete(oldest.value)
      show(items)
    } catch (problem) {
      if (mine.signal.aborted || isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
    isLoading.value = false
  }

  watch(() => keyOf(moment()), () => void load(), { immediate: true })
  onScopeDispose(() => abort?.abort())

  return { series, isLoaded, isLoading, error, retry: () => void load() }
}
