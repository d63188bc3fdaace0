/** Small levels for tests. */

import type { ModelEdge, ModelLevel, ModelNode, ModelOuter } from './model'

export const node = (name: string, look: ModelNode['look'] = 'operator'): ModelNode => ({
  name,
  label: name.slice(name.lastIndexOf('/') + 1),
  look,
  lines: [],
  badge: '',
  canOpen: look === 'scope' || look === 'aggregate',
  colour: null,
})

export const edge = (from: string, to: string, kind: ModelEdge['kind'] = 'data', count = 1): ModelEdge => ({
  from,
  to,
  kind,
  count,
  label: '',
})

export const level = (
  scope: string,
  nodes: readonly ModelNode[],
  edges: readonly ModelEdge[],
  outer: readonly ModelOuter[] = [],
  missing = 0,
): ModelLevel => ({ scope, nodes, edges, outer, missing })

export const levels = (...all: readonly ModelLevel[]): ReadonlyMap<string, ModelLevel> =>
  new Map(all.map((item) => [item.scope, item]))
