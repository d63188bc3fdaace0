/** The sessions of one run or of all, kept up to date. */

import { useQuery, type QueryState } from '@/base/api/query'
import { fetchTrials, type Reduction, type Trials } from './api'

/** Metrics come from any run below the session, so every change counts. */
export const useTrials = (run: () => string | null, metric: () => Reduction): QueryState<Trials> =>
  useQuery({
    key: () => JSON.stringify([run(), metric()]),
    fetch(signal) {
      const id = run()
      return fetchTrials(id === null ? null : [id], metric(), signal)
    },
  })
