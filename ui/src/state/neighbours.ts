/** The nearest neighbours of the selected point. */

import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { isAbort } from '@/api/client'
import { fetchNeighbours, type EmbeddingPlace, type Metric, type Neighbour } from '@/api/embeddings'
import { noteRefusal } from './live'

export interface NeighbourQuery {
  readonly place: EmbeddingPlace & { readonly mark: string }
  readonly point: number
  readonly count: number
  readonly metric: Metric
}

export interface NeighbourState {
  /** null: not known yet. */
  readonly neighbours: Readonly<ShallowRef<readonly Neighbour[] | null>>
  readonly error: Readonly<ShallowRef<unknown>>
}

export function useNeighbours(query: () => NeighbourQuery | null): NeighbourState {
  const neighbours = shallowRef<readonly Neighbour[] | null>(null)
  const error = shallowRef<unknown>(null)
  let abort: AbortController | null = null

  watch(() => JSON.stringify(query()), async () => {
    abort?.abort()
    const mine = (abort = new AbortController())
    const asked = query()
    neighbours.value = null
    error.value = null
    if (!asked) return
    try {
      const found = await fetchNeighbours(asked.place, asked.point, asked.count, asked.metric, mine.signal)
      if (!mine.signal.aborted) neighbours.value = found
    } catch (problem) {
      if (isAbort(problem) || mine.signal.aborted) return
      noteRefusal(problem)
      error.value = problem
    }
  }, { immediate: true })
  onScopeDispose(() => abort?.abort())

  return { neighbours, error }
}
