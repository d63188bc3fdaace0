/** Statistics and histograms of the tensors that a card shows, one for each of its panes. */

import { isAbort } from '@/base/api/client'
import { noteRefusal } from '@/base/api/live'
import { useQuery, type QueryState } from '@/base/api/query'
import { fetchTensorHistogram, type TensorHistogram, type TensorPlace } from './api'

export interface StepHistogram {
  /** What it is of, and which pane it belongs to. */
  readonly place: TensorPlace
  readonly key: string
  /** null when it could not be made, and `error` says why. */
  readonly histogram: TensorHistogram | null
  readonly error: unknown
}

/** By pane; what is shown stays until all of the next are there. */
export const useStepHistograms = (
  places: () => readonly { readonly key: string; readonly place: TensorPlace }[],
  isActive: () => boolean,
): QueryState<ReadonlyMap<string, StepHistogram>> =>
  useQuery({
    key: () => JSON.stringify(places()),
    isActive,
    concerns: () => false,
    fetch: async (signal) => {
      const histograms = places().map(({ key, place }) => fetchOne(key, place, signal))
      return new Map((await Promise.all(histograms)).map((each) => [each.key, each]))
    },
  })

/** One that fails leaves the others. */
async function fetchOne(key: string, place: TensorPlace, signal: AbortSignal): Promise<StepHistogram> {
  try {
    return { key, place, histogram: await fetchTensorHistogram(place, signal), error: null }
  } catch (error) {
    if (isAbort(error)) throw error
    noteRefusal(error)
    return { key, place, histogram: null, error }
  }
}
