/** Reads sounds beside the page. */

import { peaksOf, type Peaks } from './peaks'
import { spectrogramOf, type Spectrogram } from './spectrogram'
import { readWav } from './wav'

export interface Task {
  readonly number: number
  readonly data: ArrayBuffer
  readonly hasSpectrogram: boolean
}

/** The waveform; null for a file that is not understood here. */
export interface Answer {
  readonly number: number
  readonly waveform: { readonly peaks: readonly Peaks[]; readonly spectrogram: Spectrogram | null } | null
}

self.onmessage = ({ data: { number, data, hasSpectrogram } }: MessageEvent<Task>) => {
  const wav = readWav(data)
  const waveform =
    wav && wav.frames > 0
      ? { peaks: peaksOf(wav), spectrogram: hasSpectrogram ? spectrogramOf(wav) : null }
      : null
  const answer: Answer = { number, waveform }
  self.postMessage(answer)
}
