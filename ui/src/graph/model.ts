/** What is drawn: scopes with nodes and wires between them, whatever they stand for. */

import type { EdgeKind, GraphLevel, GraphNode, NodeKind } from '@/api/graphs'
import { tensorText } from '@/api/graphs'
import { formatCount } from '@/charts/numbers'
import { colourIndex } from '@/charts/palette'
import type { Glyph } from './glyphs'

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
export const isAuxiliary = ({ look }: { readonly look: Look }): boolean => look === 'parameter' || look === 'constant'

/** Repeats go by what they repeat; how many there are is said beside it. */
const labelOf = ({ kind, type, label, name }: Pick<GraphNode, 'kind' | 'type' | 'label' | 'name'>): string => (kind === 'aggregate' && type) || label || name

function modelNode(node: GraphNode): ModelNode {
  const { name, label, kind, type, inside } = node
  const isGroup = kind === 'scope' || kind === 'aggregate'
  const tensor = tensorText(node.dtype, node.shape)
  const isTyped = type !== '' && type !== label && kind === 'operator'
  return {
    name,
    label: labelOf(node),
    look: kind,
    lines: [...(isTyped ? [type] : []), ...(!isGroup && tensor ? [tensor] : [])],
    badge: kind === 'aggregate' ? `×${formatCount(node.members?.length || inside)}` : isGroup ? formatCount(inside) : '',
    canOpen: isGroup,
    colour: (kind === 'operator' || kind === 'aggregate') && type ? colourIndex(type) : null,
  }
}

export function modelLevel(level: GraphLevel): ModelLevel {
  return {
    scope: level.scope,
    nodes: level.nodes.map(modelNode),
    edges: level.edges,
    outer: level.outer.map((item) => ({ name: item.name, label: labelOf(item), look: item.kind })),
    missing: Math.max(0, level.total - level.nodes.length),
  }
}
