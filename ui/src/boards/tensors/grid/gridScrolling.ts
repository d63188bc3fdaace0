/** Where a table too large for any scroll bar stands. */

/** Browsers stop at about 17 million pixels. */
const MOST_PIXELS = 8_000_000

/** One direction of a table: `count` rows or columns of `size` pixels, of which `room` pixels are in view. */
export interface Track {
  readonly count: number
  readonly size: number
  readonly room: number
}

/** Pixels that the scrolled area has. */
export const lengthOf = ({ count, size }: Track): number => Math.min(count * size, MOST_PIXELS)

/** The first row or column in view, with its fraction that is already out, when scrolled by `pixels`. */
export function firstAt(track: Track, pixels: number): number {
  const { count, size, room } = track
  if (count * size <= MOST_PIXELS) return Math.max(0, pixels / size)
  const part = pixels / Math.max(1, MOST_PIXELS - room)
  return Math.min(1, Math.max(0, part)) * Math.max(0, count - room / size)
}

/** How far to scroll so that `first` is the first in view; undoes `firstAt`. */
export function scrollFor(track: Track, first: number): number {
  const { count, size, room } = track
  if (count * size <= MOST_PIXELS) return first * size
  return (first / Math.max(1, count - room / size)) * (MOST_PIXELS - room)
}

/** The first in view that is nearest to `first` and has `index` in view as a whole. */
export function firstShowing({ size, room }: Track, first: number, index: number): number {
  const fitting = Math.max(1, Math.floor(room / size))
  return index < first ? index : index > first + fitting - 1 ? index - fitting + 1 : first
}
