/** Arrays of a log as a mesh that can be drawn. */

import type { NumberArray } from '@/base/npy'
import type { Vector } from '@/plot/scene/sceneView'

/** The sphere around some points. */
export interface Ball {
  readonly centre: Vector
  readonly radius: number
}

/** The lowest and highest x, y and z of some points. */
export interface Box {
  readonly lo: Vector
  readonly hi: Vector
}

export interface MeshModel {
  /** x, y, z of each point as logged. */
  readonly points: Float32Array
  /** Red, green, blue of each point from 0 to 255. */
  readonly colours: Uint8Array | null
  /** Three points of each face; null: a cloud of points. */
  readonly faces: Uint32Array | null
  /** Around the points that are numbers. */
  readonly ball: Ball
  readonly box: Box
  /** What had to be left out, for people to know. */
  readonly lost: Losses
}

export interface Losses {
  /** Points that are NaN or infinite. */
  readonly points: number
  /** Faces with corners that are none of the points, or one of the lost. */
  readonly faces: number
  /** Whether the colours are not as many as the points. */
  readonly colours: boolean
}

/** The mesh number `index` of a batch. */
export function meshModel(
  vertices: NumberArray,
  faces: NumberArray | null,
  colours: NumberArray | null,
  index: number,
): MeshModel {
  const points = new Float32Array(rowsOf(vertices, index))
  const count = points.length / 3
  const corners = faces && faces.shape[1]! > 0 ? rowsOf(faces, index) : null
  const usable = corners && usableFaces(corners, points)
  const shades = colours && colours.shape[1] === count ? bytesOf(rowsOf(colours, index)) : null
  const { ball, box, bad } = around(points)
  return {
    points,
    colours: shades,
    ball,
    box,
    faces: usable,
    lost: {
      points: bad,
      faces: corners && usable ? (corners.length - usable.length) / 3 : 0,
      colours: colours !== null && colours.shape[1]! > 0 && shades === null,
    },
  }
}

/** The first three numbers of each row of one mesh; a fourth is transparency or the end of a square, which are not drawn. */
function rowsOf({ shape, values }: NumberArray, index: number): ArrayLike<number> {
  const [meshes = 0, rows = 0, width = 0] = shape
  const at = Math.min(Math.max(0, index), meshes - 1)
  if (meshes < 1) return []
  const own = values.subarray(at * rows * width, (at + 1) * rows * width)
  if (width === 3) return own
  const narrow = new Float64Array(rows * 3)
  for (let row = 0; row < rows; row++) for (let i = 0; i < 3; i++) narrow[row * 3 + i] = own[row * width + i]!
  return narrow
}

function usableFaces(corners: ArrayLike<number>, points: Float32Array): Uint32Array {
  const valid = new Uint32Array(corners.length)
  let length = 0
  const isPoint = (corner: number): boolean =>
    corner >= 0 && 3 * corner < points.length && Number.isInteger(corner) && isPlace(points, 3 * corner)
  for (let at = 0; at + 2 < corners.length; at += 3) {
    const [a, b, c] = [corners[at]!, corners[at + 1]!, corners[at + 2]!]
    if (!isPoint(a) || !isPoint(b) || !isPoint(c)) continue
    valid[length++] = a
    valid[length++] = b
    valid[length++] = c
  }
  return length === valid.length ? valid : valid.slice(0, length)
}

/** Colours go to 255; those of floats that never pass 1 are shares of it. */
function bytesOf(values: ArrayLike<number>): Uint8Array {
  let highest = 0
  let isWhole = true
  for (let i = 0; i < values.length; i++) {
    if (values[i]! > highest) highest = values[i]!
    isWhole &&= Number.isInteger(values[i]!)
  }
  const factor = highest <= 1 && !isWhole ? 255 : 1
  const bytes = new Uint8Array(values.length)
  for (let i = 0; i < values.length; i++)
    bytes[i] = Math.min(255, Math.max(0, Math.round(values[i]! * factor) || 0))
  return bytes
}

function around(points: Float32Array): { readonly ball: Ball; readonly box: Box; readonly bad: number } {
  let [x0, y0, z0, x1, y1, z1, bad] = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity, 0]
  for (let at = 0; at < points.length; at += 3) {
    if (!isPlace(points, at)) {
      bad++
      continue
    }
    const [x, y, z] = [points[at]!, points[at + 1]!, points[at + 2]!]
    if (x < x0) x0 = x
    if (x > x1) x1 = x
    if (y < y0) y0 = y
    if (y > y1) y1 = y
    if (z < z0) z0 = z
    if (z > z1) z1 = z
  }
  if (x0 > x1) return { ball: { centre: [0, 0, 0], radius: 1 }, box: { lo: [0, 0, 0], hi: [0, 0, 0] }, bad }
  const [x, y, z] = [(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2]
  let square = 0
  for (let at = 0; at < points.length; at += 3) {
    const [dx, dy, dz] = [points[at]! - x, points[at + 1]! - y, points[at + 2]! - z]
    const own = dx * dx + dy * dy + dz * dz
    if (own > square && own < Infinity) square = own
  }
  return {
    ball: { centre: [x, y, z], radius: Math.sqrt(square) || 1 },
    box: { lo: [x0, y0, z0], hi: [x1, y1, z1] },
    bad,
  }
}

const isPlace = (points: Float32Array, at: number): boolean =>
  Number.isFinite(points[at]! + points[at + 1]! + points[at + 2]!)

/** The smallest ball around two others. */
export function joined(a: Ball, b: Ball): Ball {
  const way: Vector = [b.centre[0] - a.centre[0], b.centre[1] - a.centre[1], b.centre[2] - a.centre[2]]
  const distance = Math.hypot(...way)
  if (distance + b.radius <= a.radius) return a
  if (distance + a.radius <= b.radius) return b
  const radius = (distance + a.radius + b.radius) / 2
  const part = distance > 0 ? (radius - a.radius) / distance : 0
  return {
    centre: [a.centre[0] + way[0] * part, a.centre[1] + way[1] * part, a.centre[2] + way[2] * part],
    radius,
  }
}

const OUT_OF_SIGHT = 1e6

/** The points as seen from the middle of `ball`, in units of its radius. What is no number lies far outside. */
export function normalised(points: Float32Array, { centre, radius }: Ball): Float32Array {
  const placed = new Float32Array(points.length)
  for (let at = 0; at < points.length; at += 3) {
    const isGood = isPlace(points, at)
    for (let axis = 0; axis < 3; axis++)
      placed[at + axis] = isGood ? (points[at + axis]! - centre[axis]!) / radius : OUT_OF_SIGHT
  }
  return placed
}

export const joinedBox = (a: Box, b: Box): Box => ({
  lo: [Math.min(a.lo[0], b.lo[0]), Math.min(a.lo[1], b.lo[1]), Math.min(a.lo[2], b.lo[2])],
  hi: [Math.max(a.hi[0], b.hi[0]), Math.max(a.hi[1], b.hi[1]), Math.max(a.hi[2], b.hi[2])],
})

/** The ball through the corners of a box, so many times as large. */
export function ballAround({ lo, hi }: Box, times: number): Ball {
  const radius = Math.hypot(hi[0] - lo[0], hi[1] - lo[1], hi[2] - lo[2]) / 2
  return {
    centre: [(lo[0] + hi[0]) / 2, (lo[1] + hi[1]) / 2, (lo[2] + hi[2]) / 2],
    radius: (radius || 1) * times,
  }
}
