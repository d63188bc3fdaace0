/** The whole texts of one step, of which a card only knows the beginnings. */

import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort } from '@/api/client'
import { fetchTexts, type TextItem } from '@/api/texts'
import { noteRefusal } from './live'

/** Characters of each text that a card asks for at first. */
export const PREVIEW = 300

export interface TextPlace {
  readonly run: string
  readonly tag: string
  readonly source: string
}

export interface WholeTexts {
  /** What is shown stays until the next is there. */
  readonly texts: Readonly<ShallowRef<readonly TextItem[]>>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
  retry(): void
}

const isWhole = ({ length }: TextItem): boolean => (length ?? 0) <= PREVIEW

/** `known` are the texts of one step as far as they are known. */
export function useWholeTexts(place: () => TextPlace, known: () => readonly TextItem[]): WholeTexts {
  const texts = shallowRef<readonly TextItem[]>([])
  const isLoaded = ref(false)
  const error = shallowRef<unknown>(null)
  let abort: AbortController | null = null

  function show(items: readonly TextItem[]): void {
    texts.value = items
    isLoaded.value = true
    error.value = null
  }

  async function load(): Promise<void> {
    abort?.abort()
    abort = null
    const items = known()
    if (items.every(isWhole)) return show(items)
    const mine = new AbortController()
    abort = mine
    const { run, tag, source } = place()
    try {
      const series = await fetchTexts({ runs: [run], tags: [tag], step: items[0]!.step }, mine.signal)
      if (!mine.signal.aborted) show(series.find((each) => each.source === source)?.items ?? [])
    } catch (problem) {
      if (mine.signal.aborted || isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }

  // The list comes anew whenever its run changes; only what is different at this step is asked for again.
  watch(() => JSON.stringify([place(), known()]), () => void load(), { immediate: true })
  onScopeDispose(() => abort?.abort())

  return { texts, isLoaded, error, retry: () => void load() }
}
