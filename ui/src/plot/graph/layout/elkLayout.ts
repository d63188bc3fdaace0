/** Layout by ELK in a worker: careful, with a time limit, after which the simple one steps in. */

import Elk, { type ELK, type ElkNode, type ElkPort, type LayoutOptions } from 'elkjs/lib/elk-api.js'
import { layeredLayout } from './layered'
import type { LayoutGraph, LayoutNode, LayoutPort, LayoutResult, LayOut } from './layout'

/** Above these sizes ELK takes seconds. */
const MOST_NODES = 300
const MOST_EDGES = 900
const LIMIT_MS = 3000
/** Loading it on a busy machine. */
const READY_MS = 4000

const OPTIONS: LayoutOptions = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.edgeRouting': 'ORTHOGONAL',
  'elk.spacing.nodeNode': '22',
  'elk.spacing.edgeNode': '14',
  'elk.spacing.edgeEdge': '8',
  'elk.layered.spacing.nodeNodeBetweenLayers': '30',
  'elk.layered.spacing.edgeNodeBetweenLayers': '12',
  'elk.layered.spacing.edgeEdgeBetweenLayers': '8',
  'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
  'elk.layered.nodePlacement.bk.fixedAlignment': 'BALANCED',
  'elk.layered.considerModelOrder.strategy': 'NONE',
  'elk.padding': '[top=0,left=0,bottom=0,right=0]',
}

export interface ElkLayout {
  readonly layOut: LayOut
  stop(): void
}

export function elkLayout(): ElkLayout {
  let elk: ELK | null = null
  let ready: Promise<unknown> = Promise.resolve()
  let isHopeless = false
  const start = (): ELK => {
    const created = new Elk({
      algorithms: ['layered'],
      workerFactory: () => new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' }),
    })
    ready = created.knownLayoutAlgorithms()
    return created
  }
  const stop = (): void => {
    elk?.terminateWorker()
    elk = null
  }

  async function layOut(graph: LayoutGraph): Promise<LayoutResult> {
    if (isHopeless || graph.nodes.length > MOST_NODES || graph.edges.length > MOST_EDGES)
      return layeredLayout(graph)
    elk ??= start()
    try {
      await within(READY_MS, ready).catch((problem: unknown) => {
        isHopeless = true // rather than waiting as long for each scope
        throw problem
      })
      return resultOf(await within(LIMIT_MS, elk.layout(elkGraph(graph))))
    } catch (problem) {
      // Too late: it would go on computing. What ELK cannot place is placed simply.
      if (problem instanceof TooLate) stop()
      return layeredLayout(graph)
    }
  }

  // Loading it takes as long as the first answer of the service; both at once.
  elk = start()
  return { layOut, stop }
}

class TooLate extends Error {}

async function within<T>(milliseconds: number, answer: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const isLate = new Promise<never>(
    (_, reject) => (timer = setTimeout(() => reject(new TooLate()), milliseconds)),
  )
  try {
    return await Promise.race([answer, isLate])
  } finally {
    clearTimeout(timer)
  }
}

export function elkGraph({ nodes, edges }: LayoutGraph): ElkNode {
  const hasLayers = nodes.some(({ layer }) => layer !== null)
  return {
    id: 'scope',
    layoutOptions: { ...OPTIONS, ...(hasLayers ? { 'elk.separateConnectedComponents': 'false' } : {}) },
    children: nodes.map((node) => ({
      id: `n ${node.id}`,
      width: node.width,
      height: node.height,
      ports: [
        ...node.inputs.map((port) => portOf(node, port, 'NORTH')),
        ...node.outputs.map((port) => portOf(node, port, 'SOUTH')),
      ],
      layoutOptions: {
        'elk.portConstraints': 'FIXED_POS',
        ...(node.layer === null
          ? {}
          : {
              'elk.layered.layering.layerConstraint':
                node.layer === 'first' ? 'FIRST_SEPARATE' : 'LAST_SEPARATE',
            }),
      },
    })),
    edges: edges.map(({ id, from, fromPort, to, toPort }) => ({
      id: `e ${id}`,
      sources: [`SOUTH ${from} ${fromPort}`],
      targets: [`NORTH ${to} ${toPort}`],
    })),
  }
}

function portOf(node: LayoutNode, { id, x }: LayoutPort, side: 'NORTH' | 'SOUTH'): ElkPort {
  return {
    id: `${side} ${node.id} ${id}`,
    x,
    y: side === 'NORTH' ? 0 : node.height,
    width: 0,
    height: 0,
    layoutOptions: { 'elk.port.side': side },
  }
}

function resultOf(graph: ElkNode): LayoutResult {
  return {
    width: graph.width ?? 0,
    height: graph.height ?? 0,
    places: new Map((graph.children ?? []).map(({ id, x = 0, y = 0 }) => [id.slice(2), { x, y }])),
    routes: new Map(
      (graph.edges ?? []).map(({ id, sections = [] }) => [
        id.slice(2),
        sections.flatMap(({ startPoint, bendPoints = [], endPoint }) =>
          [startPoint, ...bendPoints, endPoint].flatMap(({ x, y }) => [x, y]),
        ),
      ]),
    ),
  }
}
