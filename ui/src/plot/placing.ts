/** Where a picture stands on its stage, in pixels, however it is zoomed and moved. */

import type { Size } from '@/kit/elementSize'

/** How much larger than by itself, and which point of the picture (shares of its sides) is wanted in the middle. */
export interface Zoom {
  readonly factor: number
  readonly x: number
  readonly y: number
}

export interface Placement extends Size {
  readonly left: number
  readonly top: number
}

export const NO_ZOOM: Zoom = { factor: 1, x: 0.5, y: 0.5 }
const SMALLEST = 0.125
const LARGEST = 256

/** Pixels of the screen for one of the picture. */
export const fitScale = (stage: Size, picture: Size): number =>
  Math.min(stage.width / picture.width, stage.height / picture.height)

/** `isActual`: one pixel for each of the picture's, else as large as fits; `zoom` comes on top. */
export function place(stage: Size, picture: Size, zoom: Zoom, isActual: boolean): Placement {
  const scale = (isActual ? 1 : fitScale(stage, picture)) * zoom.factor
  const [width, height] = [picture.width * scale, picture.height * scale]
  return { width, height, left: edge(stage.width, width, zoom.x), top: edge(stage.height, height, zoom.y) }
}

/** What fits is in the middle; what does not leaves no gap. Whole pixels keep an unzoomed picture sharp. */
function edge(room: number, length: number, share: number): number {
  if (length <= room) return Math.round((room - length) / 2)
  return Math.round(Math.min(0, Math.max(room - length, room / 2 - share * length)))
}

/** `zoom` times `by`, such that the point of the picture at (x, y) of the stage stays there. */
export function zoomAt(zoom: Zoom, by: number, now: Placement, stage: Size, x: number, y: number): Zoom {
  const factor = Math.min(LARGEST, Math.max(SMALLEST, zoom.factor * by))
  const ratio = factor / zoom.factor
  const middle = (at: number, from: number, length: number, room: number): number => {
    const share = within((at - from) / length)
    return within(share + (room / 2 - at) / (length * ratio))
  }
  return {
    factor,
    x: middle(x, now.left, now.width, stage.width),
    y: middle(y, now.top, now.height, stage.height),
  }
}

/** The picture pulled by so many pixels. */
export function moved(zoom: Zoom, now: Placement, stage: Size, dx: number, dy: number): Zoom {
  // From where it stands, not from where it was wanted: at an edge the two differ.
  const middle = (from: number, length: number, room: number, by: number): number =>
    within((room / 2 - from - by) / length)
  return {
    factor: zoom.factor,
    x: middle(now.left, now.width, stage.width, dx),
    y: middle(now.top, now.height, stage.height, dy),
  }
}

const within = (share: number): number => Math.min(1, Math.max(0, share))

/** In how many columns `count` pictures of one size are largest on the stage. */
export function matrixColumns(count: number, stage: Size, picture: Size): number {
  let [best, largest] = [1, 0]
  for (let columns = 1; columns <= count; columns++) {
    const cell = { width: stage.width / columns, height: stage.height / Math.ceil(count / columns) }
    const scale = fitScale(cell, picture)
    if (scale > largest * 1.001) [best, largest] = [columns, scale]
  }
  return best
}
