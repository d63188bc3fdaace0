/** Colours for numbers between a lowest and a highest: dark to light, in steps that eyes and prints keep apart. */

export type Rgb = readonly [number, number, number]

/** The anchors of the well-known map "viridis" (CC0). */
const ANCHORS: readonly Rgb[] = [
  [68, 1, 84],
  [72, 36, 117],
  [65, 68, 135],
  [53, 95, 141],
  [42, 120, 142],
  [33, 145, 140],
  [34, 168, 132],
  [68, 191, 112],
  [122, 209, 81],
  [189, 223, 38],
  [253, 231, 37],
]

/** The colour at `part` (0 to 1) of the way, each from 0 to 255. */
export function rampAt(part: number): Rgb {
  const place = Math.min(1, Math.max(0, Number.isNaN(part) ? 0 : part)) * (ANCHORS.length - 1)
  const at = Math.min(ANCHORS.length - 2, Math.floor(place))
  const [from, to, rest] = [ANCHORS[at]!, ANCHORS[at + 1]!, place - at]
  return [
    Math.round(from[0] + (to[0] - from[0]) * rest),
    Math.round(from[1] + (to[1] - from[1]) * rest),
    Math.round(from[2] + (to[2] - from[2]) * rest),
  ]
}

export const rampColour = (part: number): string => `rgb(${rampAt(part).join(' ')})`
