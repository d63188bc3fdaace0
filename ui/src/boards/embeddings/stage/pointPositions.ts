/** Where the points of a projection stand in the scene, which is a unit sphere. */

import type { Projected } from '@/boards/embeddings/api'

/** x, y, z of each point; NaN for those that have no place. `components` says which columns lie along x, y and z. */
export function placed(
  { values, count, columns }: Projected,
  dimensions: 2 | 3,
  components: readonly [number, number, number],
): Float32Array {
  const positions = new Float32Array(count * 3)
  const middle = [0, 0, 0]
  for (let axis = 0; axis < dimensions; axis++) {
    const column = components[axis]!
    let [sum, good] = [0, 0]
    for (let i = 0; i < count; i++) {
      const value =
        column < columns
          ? values[i * columns + column]!
          : columns > 0 && Number.isNaN(values[i * columns]!)
            ? NaN
            : 0
      positions[i * 3 + axis] = value
      if (!Number.isNaN(value)) {
        sum += value
        good++
      }
    }
    middle[axis] = good > 0 ? sum / good : 0
  }
  let farthest = 0
  for (let i = 0; i < count; i++) {
    let square = 0
    for (let axis = 0; axis < 3; axis++) square += (positions[i * 3 + axis]! - middle[axis]!) ** 2
    if (square > farthest) farthest = square
  }
  const scale = farthest > 0 ? 1 / Math.sqrt(farthest) : 1
  for (let i = 0; i < positions.length; i++) positions[i] = (positions[i]! - middle[i % 3]!) * scale
  return positions
}

/** How many points have no place. */
export function countUnplaced(positions: Float32Array): number {
  let unplaced = 0
  for (let i = 0; i < positions.length; i += 3) if (Number.isNaN(positions[i]!)) unplaced++
  return unplaced
}
