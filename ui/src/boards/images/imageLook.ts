import type { Zoom } from '@/plot/placing'

/** How animated pictures move; a change of `frame` moves all of them by as many frames. */
export interface Motion {
  readonly isHalted: boolean
  readonly frame: number
}

/** How pictures are shown, whichever they are. */
export interface ImageLook {
  /** A CSS filter. */
  readonly light: string
  readonly isActual: boolean
  readonly isSmooth: boolean
  readonly zoom: Zoom
  /** Where the second picture begins, as a share of the width. */
  readonly split: number
  /** Whether the wheel alone zooms; in a page that scrolls it takes Ctrl. */
  readonly wheelZooms: boolean
  readonly motion: Motion
}
