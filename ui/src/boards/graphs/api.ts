import type {
  GraphEdge,
  GraphFile,
  GraphMatch,
  GraphMatchPage,
  GraphNeighbour,
  GraphNode,
  GraphNodeDetails,
  GraphScope,
  GraphTotals,
  OuterNode,
} from '@rest'
import { getJson } from '@/base/api/client'

export type { GraphEdge, GraphNode, GraphTotals, OuterNode }
/** One graph of a run; `graph` names it in the other calls. */
export type GraphInfo = GraphFile
/** The children of one scope, or the first of them. */
export type GraphLevel = GraphScope
export type NodeEnd = GraphNeighbour
export type NodeDetails = GraphNodeDetails
export type Match = GraphMatch
export type Matches = GraphMatchPage

export async function fetchGraphs(run: string, signal?: AbortSignal): Promise<readonly GraphInfo[]> {
  return (await getJson('graphs', { run }, signal)).graphs
}

export async function fetchLevel(
  run: string,
  graph: string,
  scope: string,
  limit: number,
  signal?: AbortSignal,
): Promise<GraphLevel> {
  return getJson('graphs/nodes', { run, graph, scope, limit }, signal)
}

export async function fetchNode(
  run: string,
  graph: string,
  name: string,
  signal?: AbortSignal,
): Promise<NodeDetails> {
  return getJson('graphs/node', { run, graph, name }, signal)
}

export async function searchNodes(
  run: string,
  graph: string,
  text: string,
  limit: number,
  signal?: AbortSignal,
): Promise<Matches> {
  return getJson('graphs/search', { run, graph, q: text, limit }, signal)
}

/** A type and shape as people write them: `float32 [32, 10]`. */
export const tensorText = (dtype: string, shape: string): string => [dtype, shape].filter(Boolean).join(' ')
