/** All runs that have data of some kind, newest first. */

import { useQuery, type QueryState } from '@/base/api/query'
import { fetchAllRuns, type Run } from './api'

export const useRunsWith = (kinds: readonly string[]): QueryState<readonly Run[]> =>
  useQuery({
    key: () => '',
    fetch: (signal) => fetchAllRuns({ kinds, sort: '-created_at' }, signal),
    minIntervalMs: 3000,
  })
