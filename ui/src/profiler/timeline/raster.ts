/** Lanes as lines of pixels: a line is filled without asking the canvas for each slice, and then stretched to its height. */

import type { Pixel } from './colours'
import { lastBefore, type Lane } from './decode'
import type { Span } from './span'

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
export function fillLine(line: Uint32Array, view: Span, lane: Lane, part: Span, offset: number, { colours, isByName, matches, faded }: Paints): void {
  const { begin, duration, name, activity } = lane
  const scale = line.length / (view.to - view.from)
  const from = Math.max(view.from, part.from)
  const to = Math.min(view.to, part.to)
  const [low, high] = [Math.round((from - view.from) * scale), Math.min(line.length, Math.round((to - view.from) * scale))]
  const shift = offset - view.from
  for (let i = Math.max(0, lastBefore(lane, from - offset)); i < begin.length; i++) {
    const start = (begin[i]! + shift) * scale
    if (start >= high) break
    // Rounded as the end of its neighbour is, so that the gap between them stays.
    const rounded = Math.round(start)
    const first = Math.max(low, rounded)
    const end = Math.max(rounded + 1, Math.round(start + duration[i]! * scale))
    const last = Math.min(high, end)
    if (last <= first) continue
    const colour = matches && !matches[name[i]!] ? faded : colours[isByName ? name[i]! : activity[i]!]!
    if (last - first === 1) line[first] = colour
    else if (end === last && last - first >= SEEN_END) {
      line.fill(colour, first, last - 1)
      line[last - 1] = 0
    } else line.fill(colour, first, last)
  }
}
