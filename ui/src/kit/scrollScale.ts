/** Scroll positions of lists that are taller than a browser can make an element. */

/** Browsers stop at 17 to 33 million pixels. */
export const MOST_PIXELS = 12_000_000
/** So much at either end scrolls pixel by pixel, so that the first and the last rows are reached as in a short list. */
const EXACT_PIXELS = 1_000_000

export interface ScrollScale {
  /** Height of the element that is scrolled. */
  readonly height: number
  readonly isScaled: boolean
  /** From a position of the scroll bar to the pixel of the list at the top of the view. */
  toList(scrolled: number): number
  /** And back. */
  toBar(top: number): number
}

export function scrollScale(count: number, rowHeight: number, viewHeight: number): ScrollScale {
  const whole = count * rowHeight
  const height = Math.min(whole, MOST_PIXELS)
  const [ofBar, ofList] = [Math.max(0, height - viewHeight), Math.max(0, whole - viewHeight)]
  const clamp = (value: number, most: number): number => Math.max(0, Math.min(value, most))
  if (whole <= MOST_PIXELS)
    return {
      height,
      isScaled: false,
      toList: (scrolled) => clamp(scrolled, ofList),
      toBar: (top) => clamp(top, ofBar),
    }
  const factor = (ofList - 2 * EXACT_PIXELS) / (ofBar - 2 * EXACT_PIXELS)
  const scaled = (value: number, from: number, to: number, factor: number): number =>
    value <= EXACT_PIXELS
      ? clamp(value, to)
      : value >= from - EXACT_PIXELS
        ? clamp(to - (from - value), to)
        : EXACT_PIXELS + (value - EXACT_PIXELS) * factor
  return {
    height,
    isScaled: true,
    toList: (scrolled) => scaled(scrolled, ofBar, ofList, factor),
    toBar: (top) => scaled(top, ofList, ofBar, 1 / factor),
  }
}
