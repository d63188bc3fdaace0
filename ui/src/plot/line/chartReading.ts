import type { Curve } from '@/plot/curve'
import type { Values } from '@/plot/curves'
import type { Area, Reading } from '@/plot/hover'

/** Where the pointer reads a chart: readings, and the places of pointer and plot in the window. */
export interface ChartReading<C extends Values = Curve> {
  readonly readings: readonly Reading<C>[]
  readonly x: number
  /** Pixels from the top of the chart; null when read by keyboard. */
  readonly pointerY: number | null
  readonly clientX: number
  readonly frame: DOMRect
  /** How much is drawn in an area of the window. */
  pointsIn(area: Area): number
}
