/** A chart on two canvases: what takes long to draw below, and above it what follows the pointer. */

import { watch, watchEffect, type ShallowRef } from 'vue'
import { useSize, type Size } from '@/kit/elementSize'
import { prepareCanvas } from './canvas'
import { useFrame } from './frameScheduler'

type Element<E> = Readonly<ShallowRef<E | null>>

export interface Layers {
  readonly root: Element<HTMLElement>
  readonly under: Element<HTMLCanvasElement>
  readonly over: Element<HTMLCanvasElement>
  /** What the chart below is made of; it is drawn again when any of this changes, or its size. */
  readonly content: () => unknown
  /** What the drawing above depends on. */
  readonly marks: () => unknown
  draw(pen: CanvasRenderingContext2D, size: Size): void
  drawMarks(pen: CanvasRenderingContext2D, size: Size): void
  /** What a move of the pointer does; it is done again when the chart has changed below a pointer that rests. */
  point(event: PointerEvent): void
}

const SMALLEST = 20
const FORGETTING = ['pointerleave', 'pointerdown', 'pointercancel', 'keydown', 'blur'] as const
/** Input that means a place in the chart. A move is not among them: it is done again once the chart is drawn. */
const AIMING = ['keydown', 'pointerdown'] as const

/** Draws in the next frame, however much has changed until then, or before it when a key or a press has to meet what is new. */
export function useLayers({ root, under, over, content, marks, draw, drawMarks, point }: Layers): {
  readonly size: Readonly<ShallowRef<Size | null>>
} {
  const size = useSize(root)
  const frame = useFrame(paint)
  let resting: PointerEvent | null = null // the last move, until the pointer leaves, or a key or a press means something else
  let isDrawing = false // the chart itself has to be drawn in the next frame, not only what lies over it

  function schedule(all: boolean): void {
    isDrawing ||= all
    frame.schedule()
  }

  function paint(): void {
    const { value: room } = size
    if (!under.value || !over.value || !room || room.width < SMALLEST || room.height < SMALLEST) return
    if (isDrawing) {
      isDrawing = false
      draw(prepareCanvas(under.value, room.width, room.height), room)
      if (resting) point(resting)
    }
    drawMarks(prepareCanvas(over.value, room.width, room.height), room)
  }

  watchEffect((onCleanup) => {
    const element = root.value
    if (!element) return
    const rest = (event: PointerEvent): void => void (resting = event)
    const forget = (): void => void (resting = null)
    const catchUp = (): void => void (isDrawing && frame.flush())
    element.addEventListener('pointermove', rest)
    for (const name of AIMING) element.addEventListener(name, catchUp, true)
    for (const name of FORGETTING) element.addEventListener(name, forget)
    onCleanup(() => {
      element.removeEventListener('pointermove', rest)
      for (const name of AIMING) element.removeEventListener(name, catchUp, true)
      for (const name of FORGETTING) element.removeEventListener(name, forget)
    })
  })
  // At once: a size that is measured for an input has to be drawn before the chart handles it.
  watch(size, () => schedule(true), { flush: 'sync' })
  watch(content, () => schedule(true))
  watch(marks, () => schedule(false))

  return { size }
}
