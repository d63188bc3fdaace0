/** What is drawn while a scope opens or closes: boxes on their way from where they were. */

import type { Box, Scene } from './scene'

export const MOVE_MS = 220

/** Slow at both ends. */
export const eased = (t: number): number => t * t * (3 - 2 * t)

/** `after` with every box on its way from its place in `before`; new ones grow out of the scope that holds them. */
export function midway(before: Scene, after: Scene, t: number): Scene {
  const mix = (a: number, b: number): number => a + (b - a) * t
  const boxes = after.boxes.map((box): Box => {
    const from = before.byKey.get(box.key) ?? before.byName.get(box.scope)
    if (!from) return box
    return {
      ...box,
      x: mix(from.x, box.x),
      y: mix(from.y, box.y),
      width: mix(from.width, box.width),
      height: mix(from.height, box.height),
    }
  })
  return { ...after, boxes, byKey: new Map(boxes.map((box) => [box.key, box])) }
}
