/** Where a run comes from, what came of it, and in what two runs differ. */

import { getJson } from './client'

export type NodeKind = 'run' | 'data' | 'checkpoint' | 'evaluation'

export interface LineageNode {
  readonly id: string
  readonly kind: NodeKind
  readonly label: string
  /** The run that it is or belongs to; empty for data, shared checkpoints, and runs that are not here. */
  readonly run: string
  readonly details: Readonly<Record<string, unknown>>
}

export interface LineageEdge {
  readonly begin: string
  readonly end: string
  readonly relation: string
}

export interface LineageNeighbourhood {
  readonly nodes: readonly LineageNode[]
  readonly edges: readonly LineageEdge[]
  /** There is more than was sent. */
  readonly is_cut: boolean
}

export async function fetchNeighbourhood(run: string, depth: number, signal?: AbortSignal): Promise<LineageNeighbourhood> {
  return (await getJson(`lineage/graph/${encodeURIComponent(run)}`, { depth }, signal)) as LineageNeighbourhood
}

export interface LineageRecord {
  readonly values: Readonly<Record<string, unknown>>
  readonly code: Readonly<Record<string, unknown>>
  readonly environment: Readonly<Record<string, unknown>>
  readonly problems: readonly string[]
}

export async function fetchRecord(run: string, signal?: AbortSignal): Promise<LineageRecord> {
  return (await getJson(`lineage/records/${encodeURIComponent(run)}`, {}, signal)) as LineageRecord
}

/** Names that fit into the address of one request. */
const NAMES_AT_ONCE = 15

/** The OpenLineage events of these runs. */
export async function fetchEvents(names: readonly string[]): Promise<readonly unknown[]> {
  const events: unknown[] = []
  for (let i = 0; i < names.length; i += NAMES_AT_ONCE) {
    const query = `run in [${names.slice(i, i + NAMES_AT_ONCE).map((name) => JSON.stringify(name)).join(', ')}]`
    events.push(...((await getJson('lineage/export', { format: 'openlineage', query })) as readonly unknown[]))
  }
  return events
}

export type DifferenceKind = 'result' | 'parameter' | 'origin' | 'pipeline' | 'data' | 'code' | 'environment'

export interface Difference {
  readonly kind: DifferenceKind
  readonly name: string
  readonly a: unknown
  readonly b: unknown
  /** What it says about the target over all runs; null when nothing can be said. */
  readonly importance: number | null
}

export interface Reasons {
  readonly differences: readonly Difference[]
  /** How uncommitted changes differ, as a unified diff. */
  readonly code: string
  readonly parting_step: number | null
  readonly target: string
}

export async function fetchReasons(a: string, b: string, tag: string, signal?: AbortSignal): Promise<Reasons> {
  return (await getJson('lineage/why', { a, b, tag: tag || undefined }, signal)) as Reasons
}
