/** The nearest neighbours of the selected point. */

import { useQuery, type QueryState } from '@/base/api/query'
import { fetchNeighbours, type EmbeddingPlace, type Metric, type Neighbour } from './api'

export interface NeighbourQuery {
  readonly place: EmbeddingPlace & { readonly mark: string }
  readonly point: number
  readonly count: number
  readonly metric: Metric
}

export const useNeighbours = (query: () => NeighbourQuery | null): QueryState<readonly Neighbour[]> =>
  useQuery({
    key: () => query() && JSON.stringify(query()),
    fetch(signal) {
      const { place, point, count, metric } = query()!
      return fetchNeighbours(place, point, count, metric, signal)
    },
    concerns: () => false,
    clears: true,
  })
