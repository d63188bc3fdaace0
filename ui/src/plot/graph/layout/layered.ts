/** A simple layered layout in time that grows with the size alone: for levels too large for the careful one. */

import type { LayoutGraph, LayoutNode, LayoutResult } from './layout'

const GAP = 24
const LAYER_GAP = 56
const ROW_GAP = 16
/** Layers wider than this are broken into rows. */
const WIDEST = 6000
const SWEEPS = 4

export function layeredLayout({ nodes, edges }: LayoutGraph): LayoutResult {
  const index = new Map(nodes.map(({ id }, i) => [id, i]))
  const next: number[][] = nodes.map(() => [])
  const before: number[][] = nodes.map(() => [])
  for (const { from, to } of edges) {
    const [a, b] = [index.get(from)!, index.get(to)!]
    if (a === b) continue
    next[a]!.push(b)
    before[b]!.push(a)
  }
  const layers = sortLayers(assignLayers(nodes, next), next, before)

  const places = new Map<string, { x: number; y: number }>()
  const rows = layers.flatMap((layer) => rowsOf(layer.map((i) => nodes[i]!)))
  const width = Math.max(0, ...rows.map(({ width: used }) => used))
  let y = 0
  for (const row of rows) {
    let x = (width - row.width) / 2
    for (const node of row.nodes) {
      places.set(node.id, { x, y })
      x += node.width + GAP
    }
    y += row.height + (row.isLast ? LAYER_GAP : ROW_GAP)
  }
  return { width, height: Math.max(0, y - LAYER_GAP), places, routes: routesOf({ nodes, edges }, places) }
}

/** The layer of each node: one below the lowest of those before it. Edges that close a circle do not count. */
function assignLayers(nodes: readonly LayoutNode[], next: readonly (readonly number[])[]): number[] {
  const count = nodes.length
  const waiting = new Int32Array(count)
  const isBack = findBackEdges(next)
  next.forEach((targets, a) => targets.forEach((b, k) => isBack(a, k) || waiting[b]!++))
  const layer = new Array<number>(count).fill(0)
  const ready = nodes.flatMap((_, i) => (waiting[i] === 0 ? [i] : []))
  let deepest = 0
  for (let at = 0; at < ready.length; at++) {
    const a = ready[at]!
    deepest = Math.max(deepest, layer[a]!)
    next[a]!.forEach((b, k) => {
      if (isBack(a, k)) return
      layer[b] = Math.max(layer[b]!, layer[a]! + 1)
      if (--waiting[b]! === 0) ready.push(b)
    })
  }
  nodes.forEach(({ layer: place }, i) => {
    if (place === 'first') layer[i] = -1
    else if (place === 'last') layer[i] = deepest + 1
  })
  return layer
}

/** Which edges (the k-th of a) lead back to a node that is still being followed; without recursion, chains may be long. */
function findBackEdges(next: readonly (readonly number[])[]): (a: number, k: number) => boolean {
  const [NEW, OPEN, DONE] = [0, 1, 2]
  const state = new Uint8Array(next.length)
  const back = new Set<string>()
  for (let start = 0; start < next.length; start++) {
    if (state[start] !== NEW) continue
    const path = [start]
    const at = [0]
    state[start] = OPEN
    while (path.length > 0) {
      const a = path[path.length - 1]!
      const k = at[at.length - 1]!++
      const b = next[a]![k]
      if (b === undefined) {
        state[a] = DONE
        path.pop()
        at.pop()
      } else if (state[b] === OPEN) back.add(`${a} ${k}`)
      else if (state[b] === NEW) {
        state[b] = OPEN
        path.push(b)
        at.push(0)
      }
    }
  }
  return (a, k) => back.size > 0 && back.has(`${a} ${k}`)
}

/** Nodes by layer, each near the middle of those it is joined with. */
function sortLayers(
  layer: readonly number[],
  next: readonly (readonly number[])[],
  before: readonly (readonly number[])[],
): number[][] {
  const byLayer = new Map<number, number[]>()
  layer.forEach((number, i) => {
    const same = byLayer.get(number)
    if (same) same.push(i)
    else byLayer.set(number, [i])
  })
  const layers = [...byLayer].sort((a, b) => a[0] - b[0]).map(([, members]) => members)
  const position = new Float64Array(layer.length)
  const note = (members: readonly number[]): void =>
    members.forEach((i, at) => (position[i] = (at + 0.5) / members.length))
  layers.forEach(note)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const neighbours = sweep % 2 === 0 ? before : next
    for (const members of sweep % 2 === 0 ? layers : [...layers].reverse()) {
      const wish = new Map(members.map((i) => [i, meanOf(neighbours[i]!, position) ?? position[i]!]))
      members.sort((a, b) => wish.get(a)! - wish.get(b)!)
      note(members)
    }
  }
  return layers
}

function meanOf(nodes: readonly number[], position: Float64Array): number | null {
  if (nodes.length === 0) return null
  let sum = 0
  for (const i of nodes) sum += position[i]!
  return sum / nodes.length
}

interface Row {
  nodes: LayoutNode[]
  width: number
  height: number
  isLast: boolean
}

function rowsOf(layer: readonly LayoutNode[]): Row[] {
  const total = layer.reduce((sum, { width }) => sum + width + GAP, 0)
  // Rows of equal width rather than full ones and a rest.
  const most = total / Math.ceil(total / WIDEST)
  const rows: Row[] = []
  for (const node of layer) {
    const last = rows[rows.length - 1]
    if (last && last.width + node.width / 2 <= most) {
      last.nodes.push(node)
      last.width += GAP + node.width
      last.height = Math.max(last.height, node.height)
    } else rows.push({ nodes: [node], width: node.width, height: node.height, isLast: false })
  }
  const end = rows[rows.length - 1]
  if (end) end.isLast = true
  return rows
}

function routesOf(
  { nodes, edges }: LayoutGraph,
  places: ReadonlyMap<string, { readonly x: number; readonly y: number }>,
): ReadonlyMap<string, readonly number[]> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  return new Map(
    edges.map(({ id, from, fromPort, to, toPort }) => {
      const [source, target] = [byId.get(from)!, byId.get(to)!]
      const [a, b] = [places.get(from)!, places.get(to)!]
      const x1 = a.x + (source.outputs.find((port) => port.id === fromPort)?.x ?? source.width / 2)
      const x2 = b.x + (target.inputs.find((port) => port.id === toPort)?.x ?? target.width / 2)
      const [y1, y2] = [a.y + source.height, b.y]
      if (y2 > y1) return [id, [x1, y1, x1, y1 + ROW_GAP / 2, x2, y2 - ROW_GAP / 2, x2, y2]]
      // Upwards: around the right of what it leaves.
      const right = Math.max(a.x + source.width, b.x + target.width) + GAP / 2
      return [
        id,
        [
          x1,
          y1,
          x1,
          y1 + ROW_GAP / 2,
          right,
          y1 + ROW_GAP / 2,
          right,
          y2 - ROW_GAP / 2,
          x2,
          y2 - ROW_GAP / 2,
          x2,
          y2,
        ],
      ]
    }),
  )
}
