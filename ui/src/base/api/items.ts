/** The series of one card: fetched while it is in view, anew when their runs change. */

import { computed, type Ref } from 'vue'
import { changesOf, useQuery, type Loading } from './query'

/** How many values of some series are not shown by default. */
export const supersededIn = (series: readonly { readonly superseded: number }[]): number =>
  series.reduce((sum, each) => sum + each.superseded, 0)

export interface ItemQuery {
  readonly runs: readonly string[]
}

export interface Items<S> extends Loading {
  readonly isLoading: Readonly<Ref<boolean>>
  readonly series: Readonly<Ref<readonly S[]>>
}

/** `query` is plain data; what is shown stays until the next response is here. */
export function useItems<Q extends ItemQuery, S>(
  fetch: (query: Q, signal: AbortSignal) => Promise<readonly S[]>,
  query: () => Q,
  isActive: () => boolean,
): Items<S> {
  const { answer, ...state } = useQuery<readonly S[]>({
    key: () => JSON.stringify(query()),
    fetch: (signal) => (query().runs.length === 0 ? [] : fetch(query(), signal)),
    concerns: changesOf(() => query().runs),
    isActive,
    minIntervalMs: 0,
  })
  const nothing: readonly S[] = []
  return { ...state, series: computed(() => answer.value ?? nothing) }
}
