/** The outline of a sound: the lowest and highest sample of each of many short parts. */

import type { Wav } from './wav'

/** One channel: lowest and highest sample of each part in turn. */
export type Peaks = Float32Array<ArrayBuffer>

/** Parts of an outline; wider than a card in full screen is on most screens. */
export const MOST_PARTS = 4096
/** As many channels are drawn above each other. */
export const MOST_CHANNELS = 8

/** The outline of each channel; short sounds have a part for each sample. */
export function peaksOf({ frames, channels, sample }: Wav, most = MOST_PARTS): readonly Peaks[] {
  const parts = Math.min(frames, most)
  return Array.from({ length: Math.min(channels, MOST_CHANNELS) }, (_, channel) => {
    const peaks = new Float32Array(parts * 2)
    for (let part = 0; part < parts; part++) {
      let [low, high] = [Infinity, -Infinity]
      const end = Math.floor(((part + 1) * frames) / parts)
      for (let frame = Math.floor((part * frames) / parts); frame < end; frame++) {
        const value = sample(frame, channel)
        if (value < low) low = value
        if (value > high) high = value
      }
      // Nothing but NaN: silence.
      peaks[2 * part] = low === Infinity ? 0 : low
      peaks[2 * part + 1] = high === -Infinity ? 0 : high
    }
    return peaks
  })
}

/** Lowest and highest of the parts between two shares of the whole. */
export function extentOf(peaks: Peaks, from: number, to: number): readonly [low: number, high: number] {
  const parts = peaks.length / 2
  const first = Math.min(parts - 1, Math.floor(from * parts))
  const last = Math.max(first + 1, Math.min(parts, Math.ceil(to * parts)))
  let [low, high] = [Infinity, -Infinity]
  for (let part = first; part < last; part++) {
    low = Math.min(low, peaks[2 * part]!)
    high = Math.max(high, peaks[2 * part + 1]!)
  }
  return [low, high]
}
