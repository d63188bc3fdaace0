/** A plan becomes a scene: scopes are laid out from the inside out, each by itself. */

import { sceneOf, type Box, type Scene, type Wire } from '@/plot/graph/scene'
import type { LayoutGraph, LayoutNode, LayoutPort, LayoutResult, LayOut } from './layout'
import type { Plan, Vertex } from './plan'
import { headerOf, sizeOf, smallSizeOf, type BoxSize, type Measure } from './sizes'

const PADDING = 14
const SIDE_GAP = 10
const SIDE_ROW = 20
/** The port of a node without ports of its own. */
const MIDDLE = ''

/** A scope with everything in it placed. */
interface Laid {
  readonly plan: Plan
  readonly graph: LayoutGraph
  readonly result: LayoutResult
  readonly inner: ReadonlyMap<string, Laid>
  readonly shapes: ReadonlyMap<string, Shape>
}

/** A node and what stands to the left of it. */
interface Shape {
  readonly size: BoxSize
  /** Room for what stands to the left. */
  readonly side: number
  readonly beside: readonly BoxSize[]
}

export interface Composer {
  /** Null when it is not wanted any more before it is done. */
  compose(plan: Plan, isWanted: () => boolean): Promise<Scene | null>
}

/** Layouts of scopes that look the same as before are not computed again. */
export function composer(layOut: LayOut, measure: Measure): Composer {
  const cache = new Map<string, LayoutResult>()

  async function lay(plan: Plan, isWanted: () => boolean): Promise<Laid | null> {
    const inner = new Map<string, Laid>()
    for (const { id, inner: own } of plan.vertices) {
      const laid = own && (await lay(own, isWanted))
      if (!isWanted()) return null
      if (laid) inner.set(id, laid)
    }
    const shapes = new Map(
      plan.vertices.map((vertex) => [vertex.id, shapeOf(vertex, inner.get(vertex.id), measure)]),
    )
    const graph = layoutGraph(plan, shapes, inner)
    const signature = JSON.stringify(graph)
    let result = cache.get(signature)
    if (!result) {
      result = await layOut(graph)
      if (cache.size > 60) cache.clear()
      cache.set(signature, result)
    }
    return { plan, graph, result, inner, shapes }
  }

  return {
    async compose(plan, isWanted) {
      const laid = await lay(plan, isWanted)
      if (!laid) return null
      const boxes: Box[] = []
      const wires: Wire[] = []
      place(laid, 0, 0, 0, boxes, wires)
      return sceneOf(laid.result.width, laid.result.height, boxes, wires)
    },
  }
}

function shapeOf(vertex: Vertex, inner: Laid | undefined, measure: Measure): Shape {
  const beside = vertex.beside.map((node) => smallSizeOf(node, measure))
  const side = beside.length > 0 ? Math.max(...beside.map(({ width }) => width)) + SIDE_GAP : 0
  const own = sizeOf(vertex.node, measure)
  if (!inner) return { size: own, side, beside }
  const { width, height } = inner.result
  return {
    size: {
      width: Math.max(own.width + 20, width + 2 * PADDING),
      height: height + headerOf(vertex.node) + 2 * PADDING,
    },
    side,
    beside,
  }
}

const heightOf = ({ size, beside }: Shape): number => Math.max(size.height, beside.length * SIDE_ROW)

/** How far below the top of its place a node stands, being in the middle of it. */
const dropOf = (shape: Shape): number => (heightOf(shape) - shape.size.height) / 2

function layoutGraph(
  { vertices, edges }: Plan,
  shapes: ReadonlyMap<string, Shape>,
  inner: ReadonlyMap<string, Laid>,
): LayoutGraph {
  const nodes = vertices.map((vertex): LayoutNode => {
    const shape = shapes.get(vertex.id)!
    const { size, side } = shape
    const middle: LayoutPort = { id: MIDDLE, x: side + size.width / 2 }
    const own = inner.get(vertex.id)
    return {
      id: vertex.id,
      width: side + size.width,
      height: heightOf(shape),
      layer: vertex.port === 'in' ? 'first' : vertex.port === 'out' ? 'last' : null,
      inputs: [middle, ...(own ? portsOf(own, 'in', side, size) : [])],
      outputs: [middle, ...(own ? portsOf(own, 'out', side, size) : [])],
    }
  })
  return {
    nodes,
    edges: edges.map(({ id, from, to, fromPort, toPort }) => ({
      id,
      from,
      to,
      fromPort: fromPort ?? MIDDLE,
      toPort: toPort ?? MIDDLE,
    })),
  }
}

/** The ports on the edge of an open scope, right above or below where they stand in it. */
function portsOf(
  { plan, result, shapes }: Laid,
  port: 'in' | 'out',
  side: number,
  size: BoxSize,
): LayoutPort[] {
  const shift = side + (size.width - result.width) / 2
  return plan.vertices
    .filter((vertex) => vertex.port === port)
    .map(({ id }) => ({
      id,
      x: Math.round(shift + result.places.get(id)!.x + shapes.get(id)!.size.width / 2),
    }))
}

function place(
  { plan, result, inner, shapes }: Laid,
  left: number,
  top: number,
  depth: number,
  boxes: Box[],
  wires: Wire[],
): void {
  for (const vertex of plan.vertices) {
    const { size, side, beside } = shapes.get(vertex.id)!
    const at = result.places.get(vertex.id) ?? { x: 0, y: 0 }
    const [x, y] = [left + at.x + side, top + at.y + dropOf(shapes.get(vertex.id)!)]
    const own = inner.get(vertex.id)
    const common = { scope: plan.scope, depth }
    boxes.push({
      ...common,
      key: vertex.id,
      node: vertex.node,
      x,
      y,
      ...size,
      isOpen: own !== undefined,
      beside: null,
      outside: vertex.outside,
      port: vertex.port,
    })
    const first = y + (own ? 0 : (size.height - beside.length * SIDE_ROW) / 2) + (SIDE_ROW - 16) / 2
    vertex.beside.forEach((node, i) => {
      const { width, height } = beside[i]!
      boxes.push({
        ...common,
        key: `${vertex.id}\t${node.name}`,
        node,
        x: x - SIDE_GAP - width,
        y: first + i * SIDE_ROW,
        width,
        height,
        isOpen: false,
        beside: vertex.id,
        outside: [],
        port: null,
      })
    })
    if (own)
      place(
        own,
        x + (size.width - own.result.width) / 2,
        y + headerOf(vertex.node) + PADDING,
        depth + 1,
        boxes,
        wires,
      )
  }
  for (const edge of plan.edges) {
    const points = result.routes.get(edge.id)?.map((value, i) => value + (i % 2 === 0 ? left : top))
    if (!points || points.length < 4) continue
    // Where more stands beside a node than it is high, wires go on to the node itself.
    points[1]! -= dropOf(shapes.get(edge.from)!)
    points[points.length - 1]! += dropOf(shapes.get(edge.to)!)
    const [xs, ys] = [points.filter((_, i) => i % 2 === 0), points.filter((_, i) => i % 2 === 1)]
    wires.push({
      from: edge.fromPort ?? edge.from,
      to: edge.toPort ?? edge.to,
      kind: edge.kind,
      count: edge.count,
      label: edge.label,
      points,
      left: Math.min(...xs),
      right: Math.max(...xs),
      top: Math.min(...ys),
      bottom: Math.max(...ys),
    })
  }
}
