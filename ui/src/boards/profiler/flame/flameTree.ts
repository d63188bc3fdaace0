/** Call trees as rectangles: a node as wide as its time, its calls below it. */

export interface FlameNode {
  readonly id: number
  /** -1 for an outermost one. */
  readonly parent: number
  readonly name: string
  readonly activity: string
  readonly count: number
  readonly total: number
  readonly self: number
  readonly other_count?: number
  readonly other_total?: number
  readonly other_self?: number
}

export interface FlameTree {
  readonly node: ReadonlyMap<number, FlameNode>
  /** By id, widest first; those of -1 are the outermost. */
  readonly children: ReadonlyMap<number, readonly FlameNode[]>
}

export interface Rectangle {
  readonly node: FlameNode
  readonly depth: number
  /** Parts of the whole width. */
  readonly x: number
  readonly width: number
}

/** Two recordings of different lengths: what one millisecond of each counts. */
export interface Weights {
  readonly one: number
  readonly other: number
}
export const EQUAL: Weights = { one: 1, other: 1 }

/** How wide a node is; of two recordings the larger one, so that nothing that was there disappears. */
export const sizeOf = ({ total, other_total }: FlameNode, { one, other }: Weights): number =>
  Math.max(total * one, (other_total ?? 0) * other)

export function treeOf(nodes: readonly FlameNode[], weights: Weights = EQUAL): FlameTree {
  const children = new Map<number, FlameNode[]>()
  for (const node of nodes) {
    const group = children.get(node.parent)
    if (group) group.push(node)
    else children.set(node.parent, [node])
  }
  for (const group of children.values())
    group.sort((a, b) => sizeOf(b, weights) - sizeOf(a, weights) || a.id - b.id)
  return { node: new Map(nodes.map((node) => [node.id, node])), children }
}

/** The nodes around one, from the outermost to itself. */
export function pathTo({ node }: FlameTree, id: number): readonly FlameNode[] {
  const path: FlameNode[] = []
  for (let at = node.get(id); at; at = node.get(at.parent)) path.unshift(at)
  return path
}

/** What is drawn: the chosen node (null: all) over the whole width, the ones around it above, and all below that is wide enough. */
export function rectanglesOf(
  tree: FlameTree,
  chosen: number | null,
  narrowest: number,
  weights: Weights = EQUAL,
): readonly Rectangle[] {
  const path = chosen === null ? [] : pathTo(tree, chosen)
  const rectangles: Rectangle[] = path.map((node, depth) => ({ node, depth, x: 0, width: 1 }))
  const place = (parent: number, depth: number, x: number, width: number, size: number): void => {
    const group = tree.children.get(parent) ?? []
    // Calls that only one of two recordings has may add up to more than the larger of their sums.
    const whole = Math.max(
      size,
      group.reduce((sum, node) => sum + sizeOf(node, weights), 0),
    )
    for (const node of group) {
      const wide = whole > 0 ? (sizeOf(node, weights) / whole) * width : 0
      if (wide < narrowest) break
      rectangles.push({ node, depth, x, width: wide })
      place(node.id, depth + 1, x, wide, sizeOf(node, weights))
      x += wide
    }
  }
  const last = path.at(-1)
  place(last?.id ?? -1, path.length, 0, 1, last ? sizeOf(last, weights) : 0)
  return rectangles
}

/** How much more the other recording takes: -1 to 1, 1 for what only it has. */
export function changeOf({ total, other_total = 0 }: FlameNode, { one, other }: Weights): number {
  const [before, after] = [total * one, other_total * other]
  return before === after ? 0 : (after - before) / Math.max(before, after)
}

/** Which nodes hold all words in their names. */
export function found(nodes: readonly FlameNode[], search: string): ReadonlySet<number> {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return new Set()
  return new Set(
    nodes.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word))).map(({ id }) => id),
  )
}

/** The time of what was found, counted once where one lies in another. */
export function foundTime(tree: FlameTree, ids: ReadonlySet<number>): number {
  let sum = 0
  for (const id of ids) {
    let above = tree.node.get(tree.node.get(id)!.parent)
    while (above && !ids.has(above.id)) above = tree.node.get(above.parent)
    if (!above) sum += tree.node.get(id)!.total
  }
  return sum
}
