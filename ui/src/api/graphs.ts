import { getJson } from './client'

export type NodeKind = 'scope' | 'aggregate' | 'operator' | 'parameter' | 'constant' | 'input' | 'output'
export type EdgeKind = 'data' | 'control'

/** One graph of a run; `graph` names it in the other calls. */
export interface GraphInfo {
  readonly graph: string
  readonly name: string
  readonly file: string
  readonly source: string
  readonly step: number
  readonly wall_time: number | string
  readonly bytes: number
  readonly stage: string
}

export interface GraphNode {
  /** Full and unique. */
  readonly name: string
  /** The last part of the name. */
  readonly label: string
  readonly kind: NodeKind
  readonly type: string
  /** Operators inside of it; 0 for those that hold none. */
  readonly inside: number
  readonly dtype: string
  readonly shape: string
  readonly inputs: number
  readonly outputs: number
  readonly members?: readonly string[]
  /** Of a traced step, for scopes in sum. */
  readonly compute_us?: number
  readonly memory?: number
}

/** An end that begins with `outer:` leads out of the scope. */
export interface GraphEdge {
  readonly from: string
  readonly to: string
  readonly kind: EdgeKind
  readonly count: number
  readonly label: string
}

export interface OuterNode {
  readonly name: string
  readonly label: string
  readonly scope: string
  readonly kind: NodeKind
  readonly type: string
}

export interface GraphTotals {
  readonly nodes: number
  readonly edges: number
  readonly scopes: number
  readonly types: readonly { readonly type: string; readonly count: number }[]
}

/** The children of one scope, or the first of them. */
export interface GraphLevel {
  readonly graph: string
  readonly scope: string
  readonly name: string
  readonly totals: GraphTotals
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly GraphEdge[]
  readonly outer: readonly OuterNode[]
  readonly total: number
}

export interface NodeEnd {
  readonly name: string
  readonly kind: EdgeKind
  readonly type: string
  readonly dtype: string
  readonly shape: string
}

export interface NodeDetails {
  readonly node: GraphNode
  readonly scope: string
  /** All that has to be opened to see it, outermost first. */
  readonly path: readonly string[]
  readonly attributes: readonly { readonly name: string; readonly value: string }[]
  readonly inputs: readonly NodeEnd[]
  readonly outputs: readonly NodeEnd[]
  readonly truncated: boolean
  readonly stack?: string
  readonly device?: string
  readonly members?: readonly string[]
}

export interface Match {
  readonly name: string
  readonly label: string
  readonly type: string
  readonly kind: NodeKind
  readonly scope: string
  /** The scopes to open, outermost first. */
  readonly path: readonly string[]
}

export interface Matches {
  readonly total: number
  readonly matches: readonly Match[]
}

export async function fetchGraphs(run: string, signal?: AbortSignal): Promise<readonly GraphInfo[]> {
  return ((await getJson('graphs', { run }, signal)) as { graphs: readonly GraphInfo[] }).graphs
}

export async function fetchLevel(run: string, graph: string, scope: string, limit: number, signal?: AbortSignal): Promise<GraphLevel> {
  return (await getJson('graphs/nodes', { run, graph, scope, limit }, signal)) as GraphLevel
}

export async function fetchNode(run: string, graph: string, name: string, signal?: AbortSignal): Promise<NodeDetails> {
  return (await getJson('graphs/node', { run, graph, name }, signal)) as NodeDetails
}

export async function searchNodes(run: string, graph: string, text: string, limit: number, signal?: AbortSignal): Promise<Matches> {
  return (await getJson('graphs/search', { run, graph, q: text, limit }, signal)) as Matches
}

/** A type and shape as people write them: `float32 [32, 10]`. */
export const tensorText = (dtype: string, shape: string): string => [dtype, shape].filter(Boolean).join(' ')
