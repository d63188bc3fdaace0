/** What sounds look like, kept while they may be looked at again. */

import { fetchFile } from '@/base/api/client'
import { useQuery, type QueryState } from '@/base/api/query'
import type { Waveform } from './waveform'

/** Sounds up to this many samples are drawn unasked; playing a longer one loads only what is heard. */
export const MOST_UNASKED = 16_000_000
const MOST_CACHED = 60

/** By address, with its spectrogram or without. */
const cache = new Map<string, Waveform>()

/** `url` is null for as long as nothing is wanted; a response without a waveform cannot be decoded. */
export const useWaveform = (
  url: () => string | null,
  hasSpectrogram: () => boolean,
): QueryState<{ readonly waveform: Waveform | null }> => {
  const key = (): string | null => url() && `${hasSpectrogram() ? 'spectrogram' : 'wave'} ${url()}`
  return useQuery({
    key,
    concerns: () => false,
    async fetch(signal) {
      const [name, withSpectrogram] = [key()!, hasSpectrogram()]
      const cached = cache.get(name)
      if (cached) return { waveform: cached }
      const blob = await fetchFile(url()!, signal)
      const { readWaveform } = await import('./waveform')
      const waveform = await readWaveform(await blob.arrayBuffer(), withSpectrogram)
      if (waveform) keep(name, waveform)
      return { waveform }
    },
  })
}

function keep(key: string, waveform: Waveform): void {
  cache.set(key, waveform)
  const oldest = cache.keys().next()
  if (cache.size > MOST_CACHED && !oldest.done) cache.delete(oldest.value)
}
