/** The frames of an animated picture one by one, where the browser can decode them. */

import { fetchFile } from '@/base/api/client'

/** Whether pictures can be halted; elsewhere they only play. Browsers keep the decoder from pages that came over plain HTTP from afar. */
export const canHalt = (): boolean => 'ImageDecoder' in globalThis

export interface Frame {
  readonly image: VideoFrame
  /** How long it is shown. */
  readonly milliseconds: number
}

/** Holds one frame at a time, however many there are. */
export interface FrameReader {
  readonly count: number
  /** The caller closes the image. */
  read(index: number): Promise<Frame>
  close(): void
}

/** Browsers show frames that name no time, or hardly any, for this long. */
const USUAL = 100
const SHORTEST = 20

export async function openFrames(url: string, signal: AbortSignal): Promise<FrameReader> {
  const blob = await fetchFile(url, signal)
  const decoder = new ImageDecoder({ data: await blob.arrayBuffer(), type: blob.type })
  await Promise.all([decoder.completed, decoder.tracks.ready])
  signal.throwIfAborted()
  return {
    count: decoder.tracks.selectedTrack?.frameCount ?? 1,
    async read(index) {
      const { image } = await decoder.decode({ frameIndex: index })
      const milliseconds = (image.duration ?? 0) / 1000
      return { image, milliseconds: milliseconds < SHORTEST ? USUAL : milliseconds }
    },
    close: () => decoder.close(),
  }
}
