/** Where points of a scene lie in its picture. */

/** A place in the picture in pixels; `depth` grows with the distance, and lies between -1 and 1 for what is shown. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly depth: number
}

/** What turns places in a scene into places in its picture: a matrix, columns first as three.js has them, and the size. */
export interface Projecting {
  readonly matrix: ArrayLike<number>
  readonly width: number
  readonly height: number
}

/** Where a point lies in the picture; null behind the eye. */
export function project(
  { matrix: m, width, height }: Projecting,
  x: number,
  y: number,
  z: number,
): Place | null {
  const w = m[3]! * x + m[7]! * y + m[11]! * z + m[15]!
  if (!(w > 0)) return null
  return {
    x: (((m[0]! * x + m[4]! * y + m[8]! * z + m[12]!) / w + 1) * width) / 2,
    y: ((1 - (m[1]! * x + m[5]! * y + m[9]! * z + m[13]!) / w) * height) / 2,
    depth: (m[2]! * x + m[6]! * y + m[10]! * z + m[14]!) / w,
  }
}

/** Points this much farther from the pointer, in pixels, still win when they lie in front. */
const SAME_PLACE = 1.5

/**
 * The number of the point of `positions` (x, y, z of each) nearest to the pixel `x`, `y` and at most `reach` away; -1: none.
 * Of points in the same place the one in front is taken. `isShown` leaves points out.
 */
export function nearestPoint(
  projecting: Projecting,
  positions: ArrayLike<number>,
  { x, y, reach, isShown }: { x: number; y: number; reach: number; isShown?: (point: number) => boolean },
): number {
  const { matrix: m, width, height } = projecting
  let best = -1
  let bestDistance = Infinity
  let bestDepth = Infinity
  // Without an object for each point: there may be a million.
  for (let i = 0, at = 0; at + 2 < positions.length; i++, at += 3) {
    const [px, py, pz] = [positions[at]!, positions[at + 1]!, positions[at + 2]!]
    const w = m[3]! * px + m[7]! * py + m[11]! * pz + m[15]!
    if (!(w > 0)) continue
    const dx = (((m[0]! * px + m[4]! * py + m[8]! * pz + m[12]!) / w + 1) * width) / 2 - x
    if (!(Math.abs(dx) <= reach)) continue
    const dy = ((1 - (m[1]! * px + m[5]! * py + m[9]! * pz + m[13]!) / w) * height) / 2 - y
    const distance = Math.hypot(dx, dy)
    if (!(distance <= reach) || distance > bestDistance + SAME_PLACE || (isShown && !isShown(i))) continue
    const depth = (m[2]! * px + m[6]! * py + m[10]! * pz + m[14]!) / w
    if (depth < -1 || depth > 1) continue
    if (distance < bestDistance - SAME_PLACE || depth < bestDepth) {
      best = i
      bestDistance = distance
      bestDepth = depth
    }
  }
  return best
}
