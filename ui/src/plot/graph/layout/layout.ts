/** What layout is asked and what it answers, in pixels, from the top left of a scope. */

export interface LayoutPort {
  readonly id: string
  /** From the left edge of its node. */
  readonly x: number
}

export interface LayoutNode {
  readonly id: string
  readonly width: number
  readonly height: number
  /** Above or below everything else. */
  readonly layer: 'first' | 'last' | null
  readonly inputs: readonly LayoutPort[]
  readonly outputs: readonly LayoutPort[]
}

/** `from` and `to` name nodes, the ports belong to them. */
export interface LayoutEdge {
  readonly id: string
  readonly from: string
  readonly fromPort: string
  readonly to: string
  readonly toPort: string
}

export interface LayoutGraph {
  readonly nodes: readonly LayoutNode[]
  readonly edges: readonly LayoutEdge[]
}

export interface LayoutResult {
  readonly width: number
  readonly height: number
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  /** x and y of each corner in turn, by the id of the edge. */
  readonly routes: ReadonlyMap<string, readonly number[]>
}

export type LayOut = (graph: LayoutGraph) => Promise<LayoutResult>
