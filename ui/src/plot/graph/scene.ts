/** Everything that is drawn, with its place, and what lies where. */

import type { EdgeKind, ModelNode } from './model'

export interface Box {
  /** Unique in the scene. */
  readonly key: string
  readonly node: ModelNode
  /** The open scope it stands in. */
  readonly scope: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  /** How many open scopes it is in. */
  readonly depth: number
  readonly isOpen: boolean
  /** The key of the box that it stands beside. */
  readonly beside: string | null
  /** For a port: whom it stands for outside. */
  readonly outside: readonly string[]
  readonly port: 'in' | 'out' | null
}

/** `from` and `to` are keys of boxes; a wire to an open scope ends at its port. */
export interface Wire {
  readonly from: string
  readonly to: string
  readonly kind: EdgeKind
  readonly count: number
  readonly label: string
  readonly points: readonly number[]
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface Scene {
  readonly width: number
  readonly height: number
  /** Open scopes before what is in them. */
  readonly boxes: readonly Box[]
  readonly wires: readonly Wire[]
  readonly byKey: ReadonlyMap<string, Box>
  /** The box of a node by its full name; the first where it is shown beside several. */
  readonly byName: ReadonlyMap<string, Box>
  readonly after: ReadonlyMap<string, readonly Wire[]>
  readonly before: ReadonlyMap<string, readonly Wire[]>
}

export interface Rect {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export const EMPTY_SCENE: Scene = {
  width: 0,
  height: 0,
  boxes: [],
  wires: [],
  byKey: new Map(),
  byName: new Map(),
  after: new Map(),
  before: new Map(),
}

export function sceneOf(width: number, height: number, boxes: readonly Box[], wires: readonly Wire[]): Scene {
  const byName = new Map<string, Box>()
  for (const box of boxes) if (!byName.has(box.node.name)) byName.set(box.node.name, box)
  const gather = (end: 'from' | 'to'): Map<string, Wire[]> => {
    const byBox = new Map<string, Wire[]>()
    for (const wire of wires) byBox.set(wire[end], [...(byBox.get(wire[end]) ?? []), wire])
    return byBox
  }
  return {
    width,
    height,
    boxes,
    wires,
    byKey: new Map(boxes.map((box) => [box.key, box])),
    byName,
    after: gather('from'),
    before: gather('to'),
  }
}

/** The innermost box at a place. */
export function boxAt({ boxes }: Scene, x: number, y: number): Box | null {
  for (let i = boxes.length - 1; i >= 0; i--) {
    const box = boxes[i]!
    if (x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height) return box
  }
  return null
}

export interface Traced {
  readonly boxes: ReadonlySet<string>
  readonly wires: ReadonlySet<Wire>
}

/** The boxes next to those of `name` and the wires to them; ports are passed through. */
export function neighboursOf(scene: Scene, name: string): Traced {
  const own = scene.boxes.filter((box) => box.node.name === name)
  const boxes = new Set<string>()
  const wires = new Set<Wire>()
  const follow = (ways: ReadonlyMap<string, readonly Wire[]>, end: 'from' | 'to'): void => {
    const waiting = own.map(({ key }) => key)
    const visited = new Set(waiting)
    for (let at = 0; at < waiting.length; at++) {
      for (const wire of ways.get(waiting[at]!) ?? []) {
        wires.add(wire)
        const key = wire[end]
        if (visited.has(key)) continue
        visited.add(key)
        boxes.add(key)
        if (scene.byKey.get(key)?.port) waiting.push(key)
      }
    }
  }
  follow(scene.after, 'to')
  follow(scene.before, 'from')
  for (const box of own) if (box.beside !== null) boxes.add(box.beside)
  const keys = new Set(own.map(({ key }) => key))
  for (const box of scene.boxes) if (box.beside !== null && keys.has(box.beside)) boxes.add(box.key)
  return { boxes, wires }
}

export type Direction = 'up' | 'down' | 'left' | 'right'

/** Where an arrow key leads from `box`: up and down along wires, left and right to what stands beside it in its scope. */
export function stepFrom(scene: Scene, box: Box, direction: Direction): Box | null {
  if (direction === 'left' || direction === 'right') {
    const sign = direction === 'left' ? -1 : 1
    const middle = (other: Box): number => other.y + other.height / 2
    return nearest(
      scene.boxes.filter(
        (other) =>
          other.scope === box.scope && other.port === null && sign * (centre(other) - centre(box)) > 1,
      ),
      (other) => Math.abs(centre(other) - centre(box)) + 4 * Math.abs(middle(other) - middle(box)),
    )
  }
  if (direction === 'down' && box.isOpen)
    return (
      scene.boxes.find(
        (other) => other.scope === box.node.name && other.port === null && other.beside === null,
      ) ?? null
    )
  const [ways, end] = direction === 'down' ? [scene.after, 'to' as const] : [scene.before, 'from' as const]
  const waiting = [box.beside ?? box.key]
  if (box.beside !== null && direction === 'down') return scene.byKey.get(box.beside) ?? null
  const visited = new Set(waiting)
  const boxes: Box[] = []
  for (let at = 0; at < waiting.length; at++) {
    for (const wire of ways.get(waiting[at]!) ?? []) {
      const other = scene.byKey.get(wire[end])
      if (!other || visited.has(other.key)) continue
      visited.add(other.key)
      if (other.port) waiting.push(other.key)
      else boxes.push(other)
    }
  }
  const next = nearest(boxes, (other) => Math.abs(centre(other) - centre(box)))
  // At the edge of an open scope the way leads to the scope itself.
  return next ?? (direction === 'up' && box.scope !== '' ? (scene.byName.get(box.scope) ?? null) : null)
}

const centre = ({ x, width }: Box): number => x + width / 2

function nearest(boxes: readonly Box[], distance: (box: Box) => number): Box | null {
  let best: Box | null = null
  for (const box of boxes) if (best === null || distance(box) < distance(best)) best = box
  return best
}
