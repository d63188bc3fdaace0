/** The details of one node. */

import { useQuery, type QueryState } from '@/base/api/query'
import { fetchNode, type NodeDetails } from './api'

/** `which` is run, graph and name, or null for none. */
export const useNodeDetails = (
  which: () => readonly [string, string, string] | null,
): QueryState<NodeDetails> =>
  useQuery({
    key: () => which()?.join('\n') ?? null,
    fetch: (signal) => fetchNode(...which()!, signal),
    concerns: () => false,
    clears: true,
  })
