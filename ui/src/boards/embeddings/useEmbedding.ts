/** The embedding that is shown: its steps, and at one of them its labels. */

import { computed, type ComputedRef, type ShallowRef } from 'vue'
import { useItems } from '@/base/api/items'
import { useQuery, type Loading } from '@/base/api/query'
import { positionAt } from '@/board/steps/frames'
import {
  fetchEmbeddings,
  fetchLabels,
  type EmbeddingItem,
  type EmbeddingPlace,
  type EmbeddingSeries,
  type LabelledEmbedding,
} from './api'

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
const areOneByOne = (items: readonly EmbeddingItem[]): boolean =>
  items.length > 1 && items.every(({ points }) => points === 1)

export function useEmbedding(chosen: () => ChosenEmbedding | null): EmbeddingState {
  const query = computed(() => {
    const now = chosen()
    return now && { runs: [now.run], tag: now.tag }
  })
  const listing = useItems(
    async ({ runs, tag }: { runs: readonly string[]; tag: string }, signal) =>
      (await fetchEmbeddings(runs[0]!, tag, signal)).map((series) => ({ ...series, run: runs[0]!, tag })),
    () => query.value ?? { runs: [], tag: '' },
    () => true,
  )
  // Of another embedding than the one that is wanted now: not yet known.
  const matching = computed(() =>
    listing.series.value.filter(({ run, tag }) => run === chosen()?.run && tag === chosen()?.tag),
  )
  const own = computed<EmbeddingSeries | null>(
    () => matching.value.find(({ source }) => source === chosen()?.source) ?? matching.value[0] ?? null,
  )
  const isOneByOne = computed(() => areOneByOne(own.value?.items ?? []))
  const steps = computed(() => {
    const items = own.value?.items ?? []
    return isOneByOne.value ? items.slice(-1).map(({ step }) => step) : items.map(({ step }) => step)
  })
  const position = computed(() => positionAt(steps.value, chosen()?.step ?? null))
  const item = computed(
    () => (isOneByOne.value ? own.value?.items.at(-1) : own.value?.items[position.value]) ?? null,
  )
  const place = computed(() => {
    const now = chosen()
    if (!now || !own.value || !item.value || item.value.error !== null) return null
    const { step, url } = item.value
    return {
      run: now.run,
      tag: now.tag,
      source: own.value.source,
      step,
      mark: `${url ?? ''} ${isOneByOne.value ? own.value.items.length : ''}`,
    }
  })

  const shown = useQuery<ShownEmbedding | null>({
    key: () => place.value && JSON.stringify(place.value),
    async fetch(signal, previous) {
      const at = place.value!
      const labelled = await fetchLabels(at, isOneByOne.value, signal)
      return labelled ? { place: at, mark: at.mark, labelled } : previous
    },
    concerns: () => false,
  })

  return {
    sources: computed(() => matching.value.map(({ source }) => source)),
    steps,
    position,
    item,
    place,
    shown: shown.answer,
    isLoaded: computed(() => matching.value.length > 0),
    error: computed(() => listing.error.value ?? shown.error.value),
    rebuilding: listing.rebuilding,
    retry() {
      listing.retry()
      void shown.retry()
    },
  }
}
