/** Everything that one picture of the timeline is made of. */

import type { ColourBy } from './sliceColours'
import type { CounterCurve } from './counters'
import type { Arrow } from './arrows'
import type { Drawn } from '@/boards/profiler/timeline/sliceLookup'
import type { Layout } from './rowLayout'
import type { Source } from '@/boards/profiler/timeline/tiles/traceSource'
import type { Span } from '@/boards/profiler/timeline/viewport'

export interface Palette {
  readonly surface: string
  readonly band: string
  readonly border: string
  readonly text: string
  readonly muted: string
  readonly accent: string
  readonly accentSoft: string
  readonly danger: string
  readonly font: string
}

export interface Frame {
  readonly width: number
  readonly height: number
  readonly span: Span
  /** Height of the rows that is above the upper edge. */
  readonly scroll: number
  readonly layout: Layout
  readonly sources: readonly (Source | null)[]
  readonly colourBy: ColourBy
  readonly isDark: boolean
  readonly palette: Palette
  /** Names that are looked for, for each recording. */
  readonly matches: readonly (Uint8Array | null)[]
  /** Numbers of what was found along the whole of each recording. */
  readonly densities: readonly (readonly number[])[]
  readonly chosen: Drawn | null
  readonly hovered: Drawn | null
  readonly arrows: readonly Arrow[]
  readonly range: Span | null
  /** Keys of the tracks that the range is about, null for all. */
  readonly rangeTracks: ReadonlySet<string> | null
  readonly pointer: number | null
  readonly counters: ReadonlyMap<string, CounterCurve>
}

export const RULER = 34

export const xOf = ({ span, width }: Pick<Frame, 'span' | 'width'>, time: number): number =>
  ((time - span.from) / (span.to - span.from)) * width
