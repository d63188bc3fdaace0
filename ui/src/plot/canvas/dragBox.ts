import type { ChartColours } from '@/base/theme'

/** The part of a chart that somebody drags over, in pixels. */
export interface DragBox {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

export function drawDragBox(
  pen: CanvasRenderingContext2D,
  { x0, y0, x1, y1 }: DragBox,
  { accent }: ChartColours,
): void {
  pen.fillStyle = accent
  pen.globalAlpha = 0.14
  pen.fillRect(x0, y0, x1 - x0, y1 - y0)
  pen.globalAlpha = 1
  pen.strokeStyle = accent
  pen.strokeRect(x0 + 0.5, y0 + 0.5, x1 - x0, y1 - y0)
}
