/** The embedding that is shown: its steps, and at one of them its labels. */

import { computed, onScopeDispose, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import { isAbort } from '@/api/client'
import { fetchEmbeddings, fetchLabels, type EmbeddingItem, type EmbeddingPlace, type EmbeddingSeries, type LabelledEmbedding } from '@/api/embeddings'
import { positionAt } from '@/charts/frames'
import { useItems, type Loading } from './items'
import { noteRefusal } from './live'

/** Which embedding, as far as it was chosen. */
export interface ChosenEmbedding {
  readonly run: string
  readonly tag: string
  readonly source: string
  /** null: the newest. */
  readonly step: number | null
}

/** An embedding that can be shown. */
export interface ShownEmbedding {
  readonly place: EmbeddingPlace
  /** Another one when it was logged anew. */
  readonly mark: string
  readonly labelled: LabelledEmbedding
}

export interface EmbeddingState extends Loading {
  readonly sources: ComputedRef<readonly string[]>
  readonly steps: ComputedRef<readonly number[]>
  readonly position: ComputedRef<number>
  /** What stands at the chosen step, when it is known. */
  readonly item: ComputedRef<EmbeddingItem | null>
  readonly place: ComputedRef<(EmbeddingPlace & { readonly mark: string }) | null>
  readonly shown: Readonly<ShallowRef<ShownEmbedding | null>>
}

/** Whether points were logged one by one, as VisualDL 1.x does: then all of them are one embedding. */
const areOneByOne = (items: readonly EmbeddingItem[]): boolean => items.length > 1 && items.every(({ points }) => points === 1)

export function useEmbedding(chosen: () => ChosenEmbedding | null): EmbeddingState {
  const wanted = computed(() => {
    const now = chosen()
    return now && { runs: [now.run], tag: now.tag }
  })
  const listing = useItems(
    async ({ runs, tag }: { runs: readonly string[]; tag: string }, signal) => (await fetchEmbeddings(runs[0]!, tag, signal)).map((series) => ({ ...series, run: runs[0]!, tag })),
    () => wanted.value ?? { runs: [], tag: '' }, () => true,
  )
  // Of another embedding than the one that is wanted now: not yet known.
  const known = computed(() => listing.series.value.filter(({ run, tag }) => run === chosen()?.run && tag === chosen()?.tag))
  const own = computed<EmbeddingSeries | null>(() => known.value.find(({ source }) => source === chosen()?.source) ?? known.value[0] ?? null)
  const isOneByOne = computed(() => areOneByOne(own.value?.items ?? []))
  const steps = computed(() => {
    const items = own.value?.items ?? []
    return isOneByOne.value ? items.slice(-1).map(({ step }) => step) : items.map(({ step }) => step)
  })
  const position = computed(() => positionAt(steps.value, chosen()?.step ?? null))
  const item = computed(() => (isOneByOne.value ? own.value?.items.at(-1) : own.value?.items[position.value]) ?? null)
  const place = computed(() => {
    const now = chosen()
    if (!now || !own.value || !item.value || item.value.error !== null) return null
    const { step, url } = item.value
    return { run: now.run, tag: now.tag, source: own.value.source, step, mark: `${url ?? ''} ${isOneByOne.value ? own.value.items.length : ''}` }
  })

  const shown = shallowRef<ShownEmbedding | null>(null)
  const error = shallowRef<unknown>(null)
  let abort: AbortController | null = null

  async function load(): Promise<void> {
    abort?.abort()
    const mine = (abort = new AbortController())
    const asked = place.value
    if (!asked) return
    try {
      const labelled = await fetchLabels(asked, isOneByOne.value, mine.signal)
      if (mine.signal.aborted || !labelled) return
      shown.value = { place: asked, mark: asked.mark, labelled }
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }
  watch(() => JSON.stringify(place.value), () => void load(), { immediate: true })
  onScopeDispose(() => abort?.abort())

  return {
    sources: computed(() => known.value.map(({ source }) => source)),
    steps, position, item, place, shown,
    isLoaded: computed(() => known.value.length > 0),
    error: computed(() => listing.error.value ?? error.value),
    retry() {
      listing.retry()
      void load()
    },
  }
}
