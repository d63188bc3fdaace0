/** What a sound looks like: its outline and its spectrogram, from the bytes of its file. */

import { peaksOf, type Peaks } from './peaks'
import { spectrogramOf, type Spectrogram } from './spectrogram'
import type { Answer, Task } from './waveformWorker'
import { plainWav, readWav, type Wav } from './wav'

export interface Waveform {
  readonly peaks: readonly Peaks[]
  readonly spectrogram: Spectrogram | null
}

let worker: Worker | null = null
let last = 0
const waiting = new Map<number, (waveform: Waveform | null) => void>()

function started(): Worker {
  if (worker) return worker
  worker = new Worker(new URL('./waveformWorker.ts', import.meta.url), { type: 'module' })
  worker.onmessage = ({ data: { number, waveform } }: MessageEvent<Answer>) => settle(number, waveform)
  worker.onerror = () => {
    // Whatever it was at is not understood; the next sound gets a new worker.
    worker?.terminate()
    worker = null
    for (const number of [...waiting.keys()]) settle(number, null)
  }
  return worker
}

function settle(number: number, waveform: Waveform | null): void {
  waiting.get(number)?.(waveform)
  waiting.delete(number)
}

/** Null when nobody here can decode it. */
export async function readWaveform(data: ArrayBuffer, hasSpectrogram: boolean): Promise<Waveform | null> {
  const waveform = await new Promise<Waveform | null>((resolve) => {
    const task: Task = { number: ++last, data, hasSpectrogram }
    waiting.set(task.number, resolve)
    started().postMessage(task)
  })
  if (waveform) return waveform
  const decoded = await decode(data)
  return decoded && { peaks: peaksOf(decoded), spectrogram: hasSpectrogram ? spectrogramOf(decoded) : null }
}

/** Through the browser, which knows some more formats. */
async function decode(data: ArrayBuffer): Promise<Wav | null> {
  try {
    const sound = await new OfflineAudioContext(1, 1, 44_100).decodeAudioData(data.slice(0))
    const channels = Array.from({ length: sound.numberOfChannels }, (_, i) => sound.getChannelData(i))
    return {
      rate: sound.sampleRate,
      channels: channels.length,
      frames: sound.length,
      sample: (frame, channel) => channels[channel]![frame]!,
    }
  } catch {
    return null
  }
}

/** The same sound in a form that every browser plays; null when it cannot be read. */
export function playable(data: ArrayBuffer): Blob | null {
  const wav = readWav(data)
  return wav && wav.frames > 0 ? plainWav(wav) : null
}
