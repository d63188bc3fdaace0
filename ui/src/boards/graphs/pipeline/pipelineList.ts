/** The data pipelines that a run has recorded. */

import { changesOf, useQuery, type QueryState } from '@/base/api/query'
import { fetchPipelines, type Pipeline } from './api'

export const usePipelines = (run: () => string): QueryState<readonly Pipeline[]> =>
  useQuery({
    key: run,
    fetch: (signal) => fetchPipelines(run(), signal),
    concerns: changesOf(() => [run()]),
    clears: true,
    keepsEqual: true,
  })
