/** A chart on two canvases: what takes long to draw below, and above it what follows the pointer. */

import { onUnmounted, watch, type ShallowRef } from 'vue'
import type { Size } from '@/charts/placing'
import { prepareCanvas } from './canvas'
import { useSize } from './size'

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
}

const SMALLEST = 20

/** Draws in the next frame, however much has changed until then. */
export function useLayers({ root, under, over, content, marks, draw, drawMarks }: Layers): { readonly size: Readonly<ShallowRef<Size | null>> } {
  const size = useSize(root)
  let frame = 0
  let isDrawing = false // the chart itself has to be drawn in the next frame, not only what lies over it

  function schedule(all: boolean): void {
    isDrawing ||= all
    if (frame === 0) frame = requestAnimationFrame(paint)
  }

  function paint(): void {
    frame = 0
    const { value: room } = size
    if (!under.value || !over.value || !room || room.width < SMALLEST || room.height < SMALLEST) return
    if (isDrawing) {
      isDrawing = false
      draw(prepareCanvas(under.value, room.width, room.height), room)
    }
    drawMarks(prepareCanvas(over.value, room.width, room.height), room)
  }

  watch([content, size], () => schedule(true))
  watch(marks, () => schedule(false))
  onUnmounted(() => cancelAnimationFrame(frame))

  return { size }
}
