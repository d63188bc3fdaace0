/** The surroundings of a run, kept up to date. */

import { useQuery, type QueryState } from '@/base/api/query'
import { fetchNeighbourhood, type LineageNeighbourhood } from './api'

/** Any run may come to belong to the surroundings, so every change counts; most of them change nothing here. */
export const useNeighbourhood = (run: () => string, depth: () => number): QueryState<LineageNeighbourhood> =>
  useQuery({
    key: () => `${run()} ${depth()}`,
    fetch: (signal) => fetchNeighbourhood(run(), depth(), signal),
    minIntervalMs: 3000,
    keepsEqual: true,
  })
