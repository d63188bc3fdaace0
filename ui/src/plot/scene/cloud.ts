/** Many points of one size, in an order in which every beginning is spread over all of them. */

import { BufferAttribute, BufferGeometry, Points, PointsMaterial } from 'three'

export interface Cloud {
  /** x, y, z of each point, inside the unit sphere. */
  readonly positions: Float32Array
  /** Red, green and blue of each point from 0 to 255; all are `colour` when left out. */
  readonly colours?: Uint8Array | null
  readonly colour?: string
  /** Pixels across. */
  readonly size: number
}

export function pointCloud({
  positions,
  colours = null,
  colour = '#ffffff',
  size,
}: Cloud): Points<BufferGeometry, PointsMaterial> {
  const geometry = new BufferGeometry()
  geometry.setAttribute('position', new BufferAttribute(positions, 3))
  if (colours) geometry.setAttribute('color', new BufferAttribute(colours, 3, true))
  geometry.setIndex(new BufferAttribute(spreadOrder(positions.length / 3), 1))
  // Sizes that shrink with the distance would be measured by the shared buffer, not by the picture.
  const material = new PointsMaterial({
    size,
    sizeAttenuation: false,
    vertexColors: colours !== null,
    color: colours ? '#ffffff' : colour,
  })
  return new Points(geometry, material)
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b))

/** 0 to `count` - 1, each once; any beginning of it is spread over all. */
export function spreadOrder(count: number): Uint32Array {
  const order = new Uint32Array(count)
  let stride = Math.max(1, Math.round(count * 0.6180339887))
  while (divisor(count, stride) > 1) stride++
  for (let i = 0, at = 0; i < count; i++, at = (at + stride) % count) order[i] = at
  return order
}

const FEWEST = 4000 // any machine can draw these

/** Draw only the first `share` (0 to 1) of the points. */
export function showShare(points: Points, share: number): void {
  points.geometry.setDrawRange(
    0,
    share < 1 ? Math.max(FEWEST, Math.ceil((points.geometry.index?.count ?? 0) * share)) : Infinity,
  )
}
