/** A level of a computation graph as it is drawn. */

import { formatCount } from '@/base/numbers'
import { colourIndex } from '@/base/palette'
import type { ModelLevel, ModelNode } from '@/plot/graph/model'
import { tensorText, type GraphLevel, type GraphNode } from './api'

/** Repeats go by what they repeat; how many there are is said beside it. */
const labelOf = ({ kind, type, label, name }: Pick<GraphNode, 'kind' | 'type' | 'label' | 'name'>): string =>
  (kind === 'aggregate' && type) || label || name

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
    badge:
      kind === 'aggregate'
        ? `×${formatCount(node.members?.length || inside)}`
        : isGroup
          ? formatCount(inside)
          : '',
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
