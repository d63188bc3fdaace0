/** Lanes as lines of pixels: a line is filled without asking the canvas for each slice, and then stretched to its height. */

import { lastBefore, type Lane } from '@/boards/profiler/timeline/tiles/decode'
import type { Span } from '@/boards/profiler/timeline/viewport'
import type { Pixel } from './sliceColours'

/** How slices get their colours. */
export interface Paints {
  /** By name, or by activity. */
  readonly colours: Uint32Array
  readonly isByName: boolean
  /** Which names are looked for; others fade. */
  readonly matches: Uint8Array | null
  readonly faded: Pixel
}

/** Slices this wide have an end that can be seen beside a neighbour of the same colour. */
const SEEN_END = 3

/** Draw the part of `lane` in `part` into `line`, whose pixels stand for `view`; times of the lane are `offset` behind it. */
export function fillLine(
  line: Uint32Array,
  view: Span,
  lane: Lane,
  part: Span,
  offset: number,
  { colours, isByName, matches, faded }: Paints,
): void {
  const { begin, duration, name, count, activity } = lane
  const scale = line.length / (view.to - view.from)
  const from = Math.max(view.from, part.from)
  const to = Math.min(view.to, part.to)
  const [low, high] = [
    Math.round((from - view.from) * scale),
    Math.min(line.length, Math.round((to - view.from) * scale)),
  ]
  const shift = offset - view.from
  for (let i = Math.max(0, lastBefore(lane, from - offset)); i < begin.length; i++) {
    const start = (begin[i]! + shift) * scale
    if (start >= high) break
    const isWide = duration[i]! * scale >= SEEN_END && count[i] === 1
    // Wide ones are rounded alike at both ends, so that the gap after them stays; between narrow
    // ones no gap may appear that is less than a pixel.
    const begins = isWide ? Math.round(start) : Math.floor(start)
    const first = Math.max(low, begins)
    const stop = start + duration[i]! * scale
    const end = Math.max(begins + 1, isWide ? Math.round(stop) : Math.ceil(stop))
    const last = Math.min(high, end)
    if (last <= first) continue
    const colour = matches && !matches[name[i]!] ? faded : colours[isByName ? name[i]! : activity[i]!]!
    if (last - first === 1) line[first] = colour
    else if (isWide && end === last) {
      line.fill(colour, first, last - 1)
      line[last - 1] = 0
    } else line.fill(colour, first, last)
  }
}
