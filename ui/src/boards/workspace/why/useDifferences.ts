/** What differs between two runs, kept up to date. */

import { computed, type Ref } from 'vue'
import { changesOf, useQuery, type Loading } from '@/base/api/query'
import { fetchReasons, type Reasons } from '@/boards/workspace/lineageGraph/api'

export interface DifferenceSource extends Loading {
  /** Null until they are known. */
  readonly reasons: Readonly<Ref<Reasons | null>>
}

export interface DifferenceQuery {
  readonly a: string
  readonly b: string
  readonly tag: string
}

export function useDifferences(query: () => DifferenceQuery | null): DifferenceSource {
  const { answer, ...state } = useQuery<DifferenceQuery & { readonly reasons: Reasons }>({
    key: () => query() && JSON.stringify(query()),
    async fetch(signal) {
      const { a, b, tag } = query()!
      return { a, b, tag, reasons: await fetchReasons(a, b, tag, signal) }
    },
    concerns: changesOf(() => [query()!.a, query()!.b]),
  })
  // Differences of other runs would be wrong under the names of these.
  const reasons = computed(() => {
    const now = query()
    const isSame = now && answer.value?.a === now.a && answer.value.b === now.b
    return isSame && state.error.value === null ? answer.value!.reasons : null
  })
  return { ...state, reasons }
}
