/** Which part of a scene is seen: the point in the middle of the stage, and pixels of the screen for one of the scene. */

import { parsed, type Field } from '@/base/url/view'
import type { Size } from '@/kit/elementSize'
import type { Rect } from './scene'

export interface Camera {
  readonly x: number
  readonly y: number
  readonly scale: number
}

const SMALLEST = 0.01
const LARGEST = 4
const MARGIN = 24

const limited = (scale: number): number => Math.min(LARGEST, Math.max(SMALLEST, scale))

/** The whole of `rect` in sight, not larger than it is. */
export function fitted(rect: Rect, stage: Size): Camera {
  const scale = Math.min(
    (stage.width - 2 * MARGIN) / Math.max(1, rect.width),
    (stage.height - 2 * MARGIN) / Math.max(1, rect.height),
    1,
  )
  return { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2, scale: limited(scale) }
}

/** As `fitted` where texts stay readable, else the beginning of it. */
export function opening(rect: Rect, stage: Size): Camera {
  const whole = fitted(rect, stage)
  const readable = 0.75
  if (whole.scale >= readable) return whole
  return {
    x: rect.x + rect.width / 2,
    y: rect.y + Math.min(rect.height / 2, (stage.height / 2 - MARGIN) / readable),
    scale: readable,
  }
}

export const toScreen = (
  { x, y, scale }: Camera,
  stage: Size,
  px: number,
  py: number,
): readonly [number, number] => [(px - x) * scale + stage.width / 2, (py - y) * scale + stage.height / 2]

export const toScene = (
  { x, y, scale }: Camera,
  stage: Size,
  px: number,
  py: number,
): readonly [number, number] => [(px - stage.width / 2) / scale + x, (py - stage.height / 2) / scale + y]

/** Zoomed `by` so that what is at (px, py) of the stage stays there. */
export function zoomed(
  camera: Camera,
  stage: Size,
  by: number,
  px = stage.width / 2,
  py = stage.height / 2,
): Camera {
  const scale = limited(camera.scale * by)
  const [x, y] = toScene(camera, stage, px, py)
  return { x: x - (px - stage.width / 2) / scale, y: y - (py - stage.height / 2) / scale, scale }
}

/** Pulled by so many pixels of the screen. */
export const pulled = ({ x, y, scale }: Camera, dx: number, dy: number): Camera => ({
  x: x - dx / scale,
  y: y - dy / scale,
  scale,
})

export function visible(camera: Camera, stage: Size): Rect {
  const [width, height] = [stage.width / camera.scale, stage.height / camera.scale]
  return { x: camera.x - width / 2, y: camera.y - height / 2, width, height }
}

/** `box` in the middle and readable. */
export const centredOn = (box: Rect, scale: number): Camera => ({
  x: box.x + box.width / 2,
  y: box.y + box.height / 2,
  scale: limited(Math.max(scale, 0.8)),
})

/** The least move that shows all of `box`, or its beginning where it is larger than the stage. */
export function shown(camera: Camera, stage: Size, box: Rect): Camera {
  const view = visible(camera, stage)
  const margin = MARGIN / camera.scale
  const shift = (from: number, length: number, start: number, room: number): number => {
    if (from < start + margin || length > room - 2 * margin)
      return from < start + margin || from > start + room - margin ? from - start - margin : 0
    return Math.max(0, from + length + margin - start - room)
  }
  return {
    x: camera.x + shift(box.x, box.width, view.x, view.width),
    y: camera.y + shift(box.y, box.height, view.y, view.height),
    scale: camera.scale,
  }
}

export const between = (a: Camera, b: Camera, t: number): Camera => {
  const scale = a.scale * (b.scale / a.scale) ** t
  // A zoom and a move together stay on a straight way on the screen.
  const share =
    Math.abs(b.scale - a.scale) < 1e-9 ? t : (1 / scale - 1 / a.scale) / (1 / b.scale - 1 / a.scale)
  return { x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share, scale }
}

export const writeCamera = ({ x, y, scale }: Camera): string =>
  `${Math.round(x)},${Math.round(y)},${Number(scale.toPrecision(3))}`

function readCamera(text: string): Camera | null {
  const numbers = text.split(',').map(Number)
  const [x, y, scale] = numbers
  if (numbers.length !== 3 || !numbers.every(Number.isFinite) || scale! <= 0) return null
  return { x: x!, y: y!, scale: limited(scale!) }
}

/** A camera in an address; null: none. */
export const cameraField = (key: string): Field<Camera | null> =>
  parsed<Camera | null>(key, null, readCamera, writeCamera)
