/** What stands in each open scope and how it is joined, before anything has a place. */

import { formatCount } from '@/base/numbers'
import { isAuxiliary, OUTER, type ModelEdge, type ModelLevel, type ModelNode } from '@/plot/graph/model'

/** Parameters and constants: small beside the node that needs them, as nodes of their own, or not at all. */
export type Auxiliaries = 'beside' | 'nodes' | 'hidden'

/** Something that is placed in a scope: a node, or a port through which wires enter (`in`) or leave it. */
export interface Vertex {
  readonly id: string
  readonly node: ModelNode
  readonly port: 'in' | 'out' | null
  /** For a port: the full names of the nodes outside that it stands for. */
  readonly outside: readonly string[]
  readonly beside: readonly ModelNode[]
  readonly inner: Plan | null
}

/** `fromPort` and `toPort`: the port of an open scope that the wire ends at. */
export interface PlanEdge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly fromPort: string | null
  readonly toPort: string | null
  readonly kind: ModelEdge['kind']
  readonly count: number
  readonly label: string
}

export interface Plan {
  readonly scope: string
  readonly vertices: readonly Vertex[]
  readonly edges: readonly PlanEdge[]
}

/** A parameter that more nodes of a scope need is one node with wires to them all. */
const MOST_CONSUMERS = 8
const MOST_BESIDE = 4
const MOST_PORTS = 12
const REST = '…'

const portId = (scope: string, side: 'in' | 'out', anchor: string): string => `${side}\n${scope}\n${anchor}`
export const moreId = (scope: string): string => `more\n${scope}`

/** How names outside of a scope are found in the one around it. */
interface Surroundings {
  vertexOf(name: string, side: 'in' | 'out'): string | null
}

export function planGraph(
  levels: ReadonlyMap<string, ModelLevel>,
  open: ReadonlySet<string>,
  auxiliaries: Auxiliaries,
): Plan | null {
  const top = levels.get('')
  return top ? planLevel(top, null, { levels, open, auxiliaries }) : null
}

interface Setting {
  readonly levels: ReadonlyMap<string, ModelLevel>
  readonly open: ReadonlySet<string>
  readonly auxiliaries: Auxiliaries
}

/** The auxiliaries outside of `level` that are shown beside their consumers in it. */
function absorbed(level: ModelLevel): ReadonlySet<string> {
  return new Set(
    [...auxiliaryEnds(level, 'beside')]
      .filter((end) => end.startsWith(OUTER))
      .map((end) => end.slice(OUTER.length)),
  )
}

function planLevel(level: ModelLevel, around: Surroundings | null, setting: Setting): Plan {
  const { levels, open, auxiliaries } = setting
  const { scope } = level
  const nodes = new Map(level.nodes.map((node) => [node.name, node]))
  const outer = new Map(level.outer.map((item) => [item.name, item]))
  const innerOf = new Map(
    level.nodes
      .filter(({ name, canOpen }) => canOpen && open.has(name) && levels.has(name))
      .map(({ name }) => [name, levels.get(name)!]),
  )

  const beside = new Map<string, ModelNode[]>()
  const absorbedBy = new Map([...innerOf].map(([name, inner]) => [name, absorbed(inner)]))
  const gone =
    auxiliaries === 'nodes'
      ? new Set<string>()
      : auxiliaryEnds(level, auxiliaries, (consumer, auxiliary) => {
          if (!absorbedBy.get(consumer)?.has(auxiliary.name))
            beside.set(consumer, [...(beside.get(consumer) ?? []), auxiliary])
        })

  // Ports: the ends of wires that lead out, gathered by where they lead in the scope around.
  const ports = { in: new Map<string, Gathered>(), out: new Map<string, Gathered>() }
  const anchorOf = (name: string, side: 'in' | 'out'): string => around?.vertexOf(name, side) ?? OUTER + name
  const edges = level.edges.filter(({ from, to }) => !gone.has(from) && !gone.has(to))
  for (const { from, to, count } of edges) {
    for (const [end, side] of [
      [from, 'in'],
      [to, 'out'],
    ] as const) {
      if (!end.startsWith(OUTER)) continue
      const name = end.slice(OUTER.length)
      const anchor = anchorOf(name, side)
      const port = ports[side].get(anchor) ?? { names: new Set<string>(), count: 0 }
      port.names.add(name)
      port.count += count
      ports[side].set(anchor, port)
    }
  }
  const portOf = { in: limited(ports.in), out: limited(ports.out) }
  const vertexOf = (end: string, side: 'in' | 'out'): string => {
    if (!end.startsWith(OUTER)) return end
    const anchor = anchorOf(end.slice(OUTER.length), side)
    return portId(scope, side, portOf[side].has(anchor) ? anchor : REST)
  }

  const surroundings: Surroundings = {
    vertexOf: (name, side) =>
      nodes.has(name) ? name : outer.has(name) ? vertexOf(OUTER + name, side) : null,
  }
  const plans = new Map([...innerOf].map(([name, inner]) => [name, planLevel(inner, surroundings, setting)]))
  const portsOf = new Map(
    [...plans].map(([name, plan]) => [
      name,
      new Set(plan.vertices.filter(({ port }) => port !== null).map(({ id }) => id)),
    ]),
  )

  const drawn = level.nodes.filter(({ name }) => !gone.has(name))
  const vertices: Vertex[] = drawn.map((node) => {
    return {
      id: node.name,
      node,
      port: null,
      outside: [],
      inner: plans.get(node.name) ?? null,
      beside: shortened(beside.get(node.name) ?? [], node),
    }
  })
  for (const side of ['in', 'out'] as const) {
    for (const [anchor, { names }] of portOf[side]) {
      const first = [...names][0]!
      const label =
        names.size === 1
          ? (outer.get(first)?.label ?? lastPart(first))
          : anchor === REST || anchor.startsWith(OUTER)
            ? REST
            : lastPart(anchor)
      vertices.push({
        id: portId(scope, side, anchor),
        port: side,
        outside: [...names],
        beside: [],
        inner: null,
        node: {
          name: portId(scope, side, anchor),
          label,
          look: 'port',
          lines: [],
          badge: names.size > 1 ? `×${names.size}` : '',
          canOpen: false,
          colour: null,
        },
      })
    }
  }
  if (level.missing > 0) {
    const node: ModelNode = {
      name: moreId(scope),
      label: `+ ${formatCount(level.missing)}`,
      look: 'more',
      lines: [],
      badge: '',
      canOpen: false,
      colour: null,
    }
    vertices.push({ id: node.name, node, port: null, outside: [], beside: [], inner: null })
  }

  return { scope, vertices, edges: joined(edges, vertexOf, new Set(vertices.map(({ id }) => id)), portsOf) }
}

/** As many as there is room for; the last one says how many are left, and stands for the node itself. */
function shortened(beside: readonly ModelNode[], { name }: ModelNode): readonly ModelNode[] {
  if (beside.length <= MOST_BESIDE) return beside
  const first = beside.slice(0, MOST_BESIDE - 1)
  return [
    ...first,
    {
      name,
      label: `+ ${beside.length - first.length}`,
      look: 'parameter',
      lines: [],
      badge: '',
      canOpen: false,
      colour: null,
    },
  ]
}

interface Gathered {
  readonly names: Set<string>
  count: number
}

/** The ends of wires that are not drawn because an auxiliary is hidden or stands beside its consumer. */
function auxiliaryEnds(
  level: ModelLevel,
  auxiliaries: Auxiliaries,
  put?: (consumer: string, auxiliary: ModelNode) => void,
): Set<string> {
  const gone = new Set<string>()
  const own = new Map(level.nodes.filter(isAuxiliary).map((node) => [node.name, node]))
  const outside = new Map(level.outer.filter(isAuxiliary).map((item) => [OUTER + item.name, item]))
  if (auxiliaries === 'hidden') return new Set([...own.keys(), ...outside.keys()])
  const consumers = new Map<string, Set<string>>()
  const isFed = new Set<string>()
  for (const { from, to } of level.edges) {
    if (own.has(to)) isFed.add(to)
    if (own.has(from) || outside.has(from)) consumers.set(from, (consumers.get(from) ?? new Set()).add(to))
  }
  for (const [end, needing] of consumers) {
    const isPlain = [...needing].every((consumer) => !consumer.startsWith(OUTER) && !own.has(consumer))
    if (isFed.has(end) || !isPlain || needing.size > MOST_CONSUMERS) continue
    gone.add(end)
    const item = outside.get(end)
    const auxiliary = own.get(end) ?? {
      name: item!.name,
      label: item!.label,
      look: item!.look,
      lines: [],
      badge: '',
      canOpen: false,
      colour: null,
    }
    for (const consumer of needing) put?.(consumer, auxiliary)
  }
  return gone
}

/** The busiest ports; what is left shares one. */
function limited(ports: ReadonlyMap<string, Gathered>): ReadonlyMap<string, Gathered> {
  if (ports.size <= MOST_PORTS) return ports
  const sorted = [...ports].sort((a, b) => b[1].count - a[1].count)
  const rest: Gathered = { names: new Set(), count: 0 }
  for (const [, { names, count }] of sorted.slice(MOST_PORTS - 1)) {
    for (const name of names) rest.names.add(name)
    rest.count += count
  }
  return new Map([...sorted.slice(0, MOST_PORTS - 1), [REST, rest]])
}

/** Wires between vertices; those of one kind between the same two are one. */
function joined(
  edges: readonly ModelEdge[],
  vertexOf: (end: string, side: 'in' | 'out') => string,
  vertices: ReadonlySet<string>,
  portsOf: ReadonlyMap<string, ReadonlySet<string>>,
): PlanEdge[] {
  const merged = new Map<string, PlanEdge>()
  for (const { from: source, to: target, kind, count, label } of edges) {
    const [from, to] = [vertexOf(source, 'in'), vertexOf(target, 'out')]
    if (!vertices.has(from) || !vertices.has(to)) continue
    const id = `${from}\t${to}\t${kind}`
    const same = merged.get(id)
    const portAt = (end: string, side: 'in' | 'out', other: string): string | null => {
      const ports = portsOf.get(end)
      if (!ports) return null
      return [portId(end, side, other), portId(end, side, REST)].find((port) => ports.has(port)) ?? null
    }
    merged.set(
      id,
      same
        ? { ...same, count: same.count + count, label: '' }
        : {
            id,
            from,
            to,
            kind,
            count,
            label,
            fromPort: portAt(from, 'out', to),
            toPort: portAt(to, 'in', from),
          },
    )
  }
  return [...merged.values()]
}

export const lastPart = (name: string): string => name.slice(name.lastIndexOf('/') + 1) || name
