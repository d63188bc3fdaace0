/** Reads sounds beside the page. */

import { peaksOf, type Peaks } from './peaks'
import { spectrogramOf, type Spectrogram } from './spectrogram'
import { readWav } from './wav'

export interface Task {
  readonly number: number
  readonly data: ArrayBuffer
  readonly hasSpectrogram: boolean
}

/** What was heard; null for a file that is not understood here. */
export interface Answer {
  readonly number: number
  readonly heard: { readonly peaks: readonly Peaks[]; readonly spectrogram: Spectrogram | null } | null
}

self.onmessage = ({ data: { number, data, hasSpectrogram } }: MessageEvent<Task>) => {
  const wav = readWav(data)
  const heard =
    wav && wav.frames > 0
      ? { peaks: peaksOf(wav), spectrogram: hasSpectrogram ? spectrogramOf(wav) : null }
      : null
  const answer: Answer = { number, heard }
  self.postMessage(answer)
}
