/** What part of a chart is shown, and the boxes it was zoomed through. */

export type Range = readonly [number, number]

/** A visible part; a missing vertical range means "as the data in view needs". */
export interface Box {
  readonly x: Range
  readonly left: Range | null
  readonly right: Range | null
}

/** Boxes from the outermost to the innermost; empty when the whole chart is shown. */
export type ZoomPath = readonly Box[]

export const current = (path: ZoomPath): Box | null => path[path.length - 1] ?? null

export const zoomInto = (path: ZoomPath, box: Box): ZoomPath => [...path, box]

export const stepBack = (path: ZoomPath): ZoomPath => path.slice(0, -1)

/** The path shown as `box` (say, from a URL): what was zoomed through before is kept as far as it leads there. */
export function arriveAt(path: ZoomPath, box: Box | null): ZoomPath {
  if (box === null) return []
  const index = path.findIndex((step) => sameBox(step, box))
  return index >= 0 ? path.slice(0, index + 1) : [...path.filter((step) => contains(step.x, box.x)), box]
}

export function contains(outer: Range, inner: Range): boolean {
  return outer[0] <= inner[0] && inner[1] <= outer[1]
}

export function sameBox(a: Box | null, b: Box | null): boolean {
  if (a === null || b === null) return a === b
  return sameRange(a.x, b.x) && sameRange(a.left, b.left) && sameRange(a.right, b.right)
}

function sameRange(a: Range | null, b: Range | null): boolean {
  return a === null || b === null ? a === b : a[0] === b[0] && a[1] === b[1]
}
