/** Contours of a grid of numbers: the areas above a level and the lines along it. */

import type { Pen } from '@/plot/pen'

/** Where the columns and rows of a grid lie in a picture, and its numbers row by row; NaN where there is none. */
export interface Grid {
  readonly x: ArrayLike<number>
  readonly y: ArrayLike<number>
  readonly z: ArrayLike<number>
}

interface Corner {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** Each cell is four triangles around its middle; in a triangle, contours are straight. */
function corners({ x, y, z }: Grid, i: number, j: number): readonly [Corner, Corner, Corner, Corner, Corner] {
  const nx = x.length
  const at = (across: number, down: number): Corner => ({
    x: x[across]!,
    y: y[down]!,
    z: z[down * nx + across]!,
  })
  const [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
  return [a, b, c, d, { x: (a.x + c.x) / 2, y: (a.y + c.y) / 2, z: (a.z + b.z + c.z + d.z) / 4 }]
}

function between(a: Corner, b: Corner, level: number): Corner {
  const part = (level - a.z) / (b.z - a.z)
  return { x: a.x + (b.x - a.x) * part, y: a.y + (b.y - a.y) * part, z: level }
}

/** Add the area where the grid is at least `level` to the path of `pen`. All of it in one path, so that no seams show. */
export function traceAbove(
  pen: Pick<Pen, 'moveTo' | 'lineTo' | 'closePath'>,
  grid: Grid,
  level: number,
): void {
  const [nx, ny] = [grid.x.length, grid.y.length]
  const polygon = (points: readonly Corner[]): void => {
    points.forEach(({ x, y }, i) => (i === 0 ? pen.moveTo(x, y) : pen.lineTo(x, y)))
    pen.closePath()
  }
  for (let j = 0; j + 1 < ny; j++) {
    let run: { readonly first: number } | null = null // cells in a row that lie above as a whole
    const endRun = (end: number): void => {
      if (!run) return
      const [left, right, top, bottom] = [grid.x[run.first]!, grid.x[end]!, grid.y[j]!, grid.y[j + 1]!]
      polygon([
        { x: left, y: top, z: 0 },
        { x: right, y: top, z: 0 },
        { x: right, y: bottom, z: 0 },
        { x: left, y: bottom, z: 0 },
      ])
      run = null
    }
    for (let i = 0; i + 1 < nx; i++) {
      const [a, b, c, d, middle] = corners(grid, i, j)
      const ring = [a, b, c, d]
      if (ring.every(({ z }) => z >= level)) {
        run ??= { first: i }
        continue
      }
      endRun(i)
      if (Number.isNaN(middle.z) || ring.every(({ z }) => z < level)) continue
      ring.forEach((corner, k) => {
        const above = clipped([corner, ring[(k + 1) % 4]!, middle], level)
        if (above.length > 2) polygon(above)
      })
    }
    endRun(nx - 1)
  }
}

/** The part of a triangle that is at least `level`. */
function clipped(triangle: readonly Corner[], level: number): readonly Corner[] {
  const inside: Corner[] = []
  triangle.forEach((from, i) => {
    const to = triangle[(i + 1) % 3]!
    if (from.z >= level) inside.push(from)
    if (from.z >= level !== to.z >= level) inside.push(between(from, to, level))
  })
  return inside
}

/** A line along a level: x and y of its points in turn. */
export type ContourLine = readonly number[]

// Names of the edges of triangles, per cell: its upper and left side, and the four ways from its corners to the middle.
const EDGES = 6
const [UPPER, LEFT, SPOKE] = [0, 1, 2]

/** The lines along which the grid is `level`, each as long as possible. */
export function contourLines(grid: Grid, level: number): readonly ContourLine[] {
  const [nx, ny] = [grid.x.length, grid.y.length]
  const points = new Map<number, Corner>()
  const neighbours = new Map<number, number[]>()
  const edgeOf = (i: number, j: number, kind: number): number => (j * nx + i) * EDGES + kind
  const link = (a: number, b: number): void => {
    for (const [from, to] of [
      [a, b],
      [b, a],
    ] as const) {
      const list = neighbours.get(from)
      if (list) list.push(to)
      else neighbours.set(from, [to])
    }
  }
  for (let j = 0; j + 1 < ny; j++) {
    for (let i = 0; i + 1 < nx; i++) {
      const [a, b, c, d, middle] = corners(grid, i, j)
      if (Number.isNaN(middle.z)) continue
      const ring = [a, b, c, d]
      const sides = [edgeOf(i, j, UPPER), edgeOf(i + 1, j, LEFT), edgeOf(i, j + 1, UPPER), edgeOf(i, j, LEFT)]
      ring.forEach((corner, k) => {
        const next = ring[(k + 1) % 4]!
        const crossed = (
          [
            [corner, next, sides[k]!],
            [next, middle, edgeOf(i, j, SPOKE + ((k + 1) % 4))],
            [corner, middle, edgeOf(i, j, SPOKE + k)],
          ] as const
        ).filter(([from, to]) => from.z >= level !== to.z >= level)
        if (crossed.length !== 2) return
        for (const [from, to, edge] of crossed)
          if (!points.has(edge)) points.set(edge, between(from, to, level))
        link(crossed[0]![2], crossed[1]![2])
      })
    }
  }
  return joinedLines(points, neighbours)
}

function joinedLines(
  points: ReadonlyMap<number, Corner>,
  neighbours: ReadonlyMap<number, readonly number[]>,
): readonly ContourLine[] {
  const used = new Set<number>()
  const lines: ContourLine[] = []
  const follow = (start: number): void => {
    const line: number[] = []
    let at: number | undefined = start
    while (at !== undefined && !used.has(at)) {
      used.add(at)
      const { x, y } = points.get(at)!
      line.push(x, y)
      at = neighbours.get(at)!.find((next) => !used.has(next))
    }
    // A line that came back to its beginning is closed.
    if (line.length > 4 && neighbours.get(start)!.length === 2) line.push(line[0]!, line[1]!)
    lines.push(line)
  }
  // Those that end at the border first, so that none is cut in two.
  for (const [edge, next] of neighbours) if (next.length === 1 && !used.has(edge)) follow(edge)
  for (const edge of neighbours.keys()) if (!used.has(edge)) follow(edge)
  return lines
}

/** How long a line is, in the units of its points. */
export function lengthOf(line: ContourLine): number {
  let length = 0
  for (let i = 2; i < line.length; i += 2)
    length += Math.hypot(line[i]! - line[i - 2]!, line[i + 1]! - line[i - 1]!)
  return length
}

/** The middle of a line and its direction there, in radians; text along it stands upright. */
export function middleOf(line: ContourLine): {
  readonly x: number
  readonly y: number
  readonly angle: number
} {
  let rest = lengthOf(line) / 2
  for (let i = 2; i < line.length; i += 2) {
    const [dx, dy] = [line[i]! - line[i - 2]!, line[i + 1]! - line[i - 1]!]
    const length = Math.hypot(dx, dy)
    if (length >= rest && length > 0) {
      const angle = Math.atan2(dy, dx)
      return {
        x: line[i - 2]! + (dx * rest) / length,
        y: line[i - 1]! + (dy * rest) / length,
        angle: Math.abs(angle) > Math.PI / 2 ? angle - Math.sign(angle) * Math.PI : angle,
      }
    }
    rest -= length
  }
  return { x: line[0] ?? 0, y: line[1] ?? 0, angle: 0 }
}
