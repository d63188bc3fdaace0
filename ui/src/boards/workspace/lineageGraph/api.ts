/** Where a run comes from, what came of it, and in what two runs differ. */

import type {
  LineageEdge,
  LineageNeighbourhood,
  LineageNode,
  RunDiff,
  RunDifference,
  RunLineage,
} from '@rest'
import { getJson } from '@/base/api/client'

export type { LineageEdge, LineageNeighbourhood, LineageNode }
export type LineageRecord = Pick<RunLineage, 'values' | 'code' | 'environment' | 'problems'>
export type Difference = RunDifference
export type Reasons = RunDiff

export type NodeKind = LineageNode['kind']

export async function fetchNeighbourhood(
  run: string,
  depth: number,
  signal?: AbortSignal,
): Promise<LineageNeighbourhood> {
  return getJson(['lineage/graph/{run}', run], { depth }, signal)
}

export async function fetchRecord(run: string, signal?: AbortSignal): Promise<LineageRecord> {
  return getJson(['lineage/records/{run}', run], {}, signal)
}

/** Names that fit into the address of one request. */
const NAMES_AT_ONCE = 15

/** The OpenLineage events of these runs. */
export async function fetchEvents(names: readonly string[]): Promise<readonly unknown[]> {
  const events: unknown[] = []
  for (let i = 0; i < names.length; i += NAMES_AT_ONCE) {
    const query = `run in [${names
      .slice(i, i + NAMES_AT_ONCE)
      .map((name) => JSON.stringify(name))
      .join(', ')}]`
    const more = await getJson('lineage/export', { format: 'openlineage', query })
    if (Array.isArray(more)) events.push(...more)
  }
  return events
}

export type DifferenceKind = RunDifference['kind']

export async function fetchReasons(
  a: string,
  b: string,
  tag: string,
  signal?: AbortSignal,
): Promise<Reasons> {
  return getJson('lineage/why', { a, b, tag: tag || undefined }, signal)
}
