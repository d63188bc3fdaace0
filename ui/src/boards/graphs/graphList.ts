/** The graphs of a run, and the one of them that is shown. */

import { computed, type Ref } from 'vue'
import { changesOf, useQuery, type QueryState } from '@/base/api/query'
import { fetchGraphs, type GraphInfo } from './api'

export interface GraphList extends QueryState<readonly GraphInfo[]> {
  readonly shown: Readonly<Ref<GraphInfo | null>>
}

export function useGraphList(run: () => string | null, chosen: () => string | null): GraphList {
  const query = useQuery<readonly GraphInfo[]>({
    key: run,
    fetch: (signal) => fetchGraphs(run()!, signal),
    concerns: changesOf(() => [run()!]),
    minIntervalMs: 0,
    clears: true,
  })
  // A graph that arrives does not take the place of the one that somebody looks at.
  let last: string | null = null
  const current = computed(() => {
    const graphs = query.answer.value ?? []
    const name = chosen() ?? last
    const info = graphs.find(({ graph }) => graph === name) ?? graphs[0] ?? null
    last = info?.graph ?? null
    return info
  })
  return { ...query, shown: current }
}
