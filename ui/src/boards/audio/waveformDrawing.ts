/** Sounds on a canvas: their outline, or their spectrogram. */

import type { Pen } from '@/plot/pen'
import { extentOf, type Peaks } from './peaks'
import type { Spectrogram } from './spectrogram'

export interface WaveColours {
  readonly wave: string
  readonly axis: string
}

/** Outlines of the channels above each other, each from -1 to 1, or as far as its samples go beyond. */
export function drawWave(
  pen: Pick<Pen, 'fillStyle' | 'fillRect'>,
  peaks: readonly Peaks[],
  { width, height }: { width: number; height: number },
  { wave, axis }: WaveColours,
): void {
  const lane = height / peaks.length
  peaks.forEach((channel, i) => {
    const [low, high] = extentOf(channel, 0, 1)
    const scale = (lane / 2 - 1) / Math.max(1, -low, high)
    const middle = lane * (i + 0.5)
    pen.fillStyle = axis
    pen.fillRect(0, middle - 0.5, width, 1)
    pen.fillStyle = wave
    for (let x = 0; x < width; x++) {
      const [bottom, top] = extentOf(channel, x / width, (x + 1) / width)
      pen.fillRect(x, middle - top * scale - 0.5, 1, Math.max(1, (top - bottom) * scale + 1))
    }
  })
}

/** From dark through violet and orange to light, ever brighter: also told apart without colours. */
const STOPS = [
  [13, 8, 35],
  [74, 21, 98],
  [160, 42, 99],
  [229, 92, 48],
  [251, 176, 50],
  [252, 253, 191],
] as const

function colourAt(level: number): readonly [number, number, number] {
  const place = (level / 255) * (STOPS.length - 1)
  const at = Math.min(STOPS.length - 2, Math.floor(place))
  const share = place - at
  const mix = (i: 0 | 1 | 2): number => STOPS[at]![i] + (STOPS[at + 1]![i] - STOPS[at]![i]) * share
  return [mix(0), mix(1), mix(2)]
}

/** The pixels of a spectrogram, low frequencies at the bottom. */
export function spectrogramPixels({ columns, rows, levels }: Spectrogram): ImageData {
  const pixels = new ImageData(columns, rows)
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const [red, green, blue] = colourAt(levels[column * rows + row]!)
      pixels.data.set([red, green, blue, 255], ((rows - 1 - row) * columns + column) * 4)
    }
  }
  return pixels
}
