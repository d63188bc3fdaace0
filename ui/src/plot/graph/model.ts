/** What is drawn: scopes with nodes and wires between them, whatever they stand for. */

import type { Glyph } from './glyphs'

export type NodeKind = 'scope' | 'aggregate' | 'operator' | 'parameter' | 'constant' | 'input' | 'output'

export type EdgeKind = 'data' | 'control'

/** `port`: where wires enter or leave an open scope; `more`: children that are not shown yet. */
export type Look = NodeKind | 'port' | 'more'

export interface ModelNode {
  readonly name: string
  readonly label: string
  readonly look: Look
  /** Smaller lines below the label. */
  readonly lines: readonly string[]
  /** How many it stands for, in short; empty for one. */
  readonly badge: string
  readonly canOpen: boolean
  /** Position in the palette; null for none. */
  readonly colour: number | null
  readonly glyph?: Glyph
  /** What it is called in full, where `name` only tells it apart. */
  readonly title?: string
}

export interface ModelEdge {
  readonly from: string
  readonly to: string
  readonly kind: EdgeKind
  readonly count: number
  readonly label: string
}

export interface ModelOuter {
  readonly name: string
  readonly label: string
  readonly look: Look
}

export interface ModelLevel {
  readonly scope: string
  readonly nodes: readonly ModelNode[]
  /** Ends that begin with `outer:` lead out of the scope. */
  readonly edges: readonly ModelEdge[]
  readonly outer: readonly ModelOuter[]
  /** Children that are not among `nodes`. */
  readonly missing: number
}

export const OUTER = 'outer:'

/** Parameters and constants: what an operator needs, not what flows through the network. */
export const isAuxiliary = ({ look }: { readonly look: Look }): boolean =>
  look === 'parameter' || look === 'constant'
