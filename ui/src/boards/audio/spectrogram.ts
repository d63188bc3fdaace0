/** How strong each pitch is over time: short stretches of a sound, each split into its frequencies. */

import type { Wav } from './wav'

export interface Spectrogram {
  /** Stretches. */
  readonly columns: number
  /** Frequencies, evenly from 0 to half the sample rate. */
  readonly rows: number
  /** Column after column, lowest frequency first: 255 is the strongest of all, 0 at least `RANGE_DB` weaker. */
  readonly levels: Uint8Array<ArrayBuffer>
}

export const RANGE_DB = 80
const LARGEST_WINDOW = 1024
const SMALLEST_WINDOW = 64
const MOST_COLUMNS = 800

/** In place: `real` and `imaginary` of a power of two of samples become those of their frequencies. */
export function transform(real: Float64Array, imaginary: Float64Array): void {
  const size = real.length
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      ;[real[i], real[j]] = [real[j]!, real[i]!]
      ;[imaginary[i], imaginary[j]] = [imaginary[j]!, imaginary[i]!]
    }
  }
  for (let length = 2; length <= size; length *= 2) {
    const half = length / 2
    for (let k = 0; k < half; k++) {
      const angle = (-2 * Math.PI * k) / length
      const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
      for (let even = k; even < size; even += length) {
        const odd = even + half
        const re = real[odd]! * cos - imaginary[odd]! * sin
        const im = real[odd]! * sin + imaginary[odd]! * cos
        real[odd] = real[even]! - re
        imaginary[odd] = imaginary[even]! - im
        real[even] = real[even]! + re
        imaginary[even] = imaginary[even]! + im
      }
    }
  }
}

/** All channels together. */
export function spectrogramOf({ frames, channels, sample }: Wav): Spectrogram {
  let size = LARGEST_WINDOW
  while (size > SMALLEST_WINDOW && size * 4 > frames) size /= 2
  const rows = size / 2
  const columns = Math.max(1, Math.min(MOST_COLUMNS, Math.ceil((4 * frames) / size)))
  const powers = new Float32Array(columns * rows)
  const fade = Float64Array.from(
    { length: size },
    (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / (size - 1)),
  )
  const [real, imaginary] = [new Float64Array(size), new Float64Array(size)]
  let strongest = 0
  for (let column = 0; column < columns; column++) {
    // The middle of a stretch is where its column stands; beyond the ends is silence.
    const begin = Math.floor(((column + 0.5) * frames) / columns - size / 2)
    imaginary.fill(0)
    for (let i = 0; i < size; i++) {
      let sum = 0
      const frame = begin + i
      if (frame >= 0 && frame < frames)
        for (let channel = 0; channel < channels; channel++) sum += sample(frame, channel)
      real[i] = Number.isFinite(sum) ? (sum / channels) * fade[i]! : 0
    }
    transform(real, imaginary)
    for (let row = 0; row < rows; row++) {
      const power = real[row]! ** 2 + imaginary[row]! ** 2
      powers[column * rows + row] = power
      if (power > strongest) strongest = power
    }
  }
  const levels = Uint8Array.from(powers, (power) =>
    power === 0 ? 0 : Math.round(Math.max(0, 255 * (1 + (10 * Math.log10(power / strongest)) / RANGE_DB))),
  )
  return { columns, rows, levels }
}
