/** Pixels between a chart and what is said about it. */
export const GAP = 10

/** Where a tooltip fits beside `frame` (the chart in the window) without covering it; null when nowhere. */
export function placeOutside(
  frame: DOMRect,
  clientX: number,
  width: number,
  height: number,
): readonly [number, number] | null {
  const [right, bottom] = [window.innerWidth - 8, window.innerHeight - 8]
  const x = Math.min(Math.max(8, clientX - width / 2), right - width)
  const y = Math.max(8, Math.min(frame.top, bottom - height))
  const axis = 22 // the labels below the curves are worth reading too
  if (frame.bottom + axis + height + GAP <= bottom) return [x, frame.bottom + axis + GAP]
  if (frame.top - 36 - height >= 8) return [x, frame.top - 36 - height]
  if (frame.right + GAP + width <= right) return [frame.right + GAP, y]
  if (frame.left - 60 - width >= 8) return [frame.left - 60 - width, y]
  return null
}
