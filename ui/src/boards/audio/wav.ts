/** The samples of WAV files. */

export interface Wav {
  readonly rate: number
  readonly channels: number
  /** Samples of each channel. */
  readonly frames: number
  /** A sample, mostly from -1 to 1. */
  sample(frame: number, channel: number): number
}

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe

/** Null for what is no WAV file, or one whose samples are packed in a way only browsers know. */
export function readWav(data: ArrayBuffer): Wav | null {
  const view = new DataView(data)
  const name = (at: number): string =>
    String.fromCharCode(
      view.getUint8(at),
      view.getUint8(at + 1),
      view.getUint8(at + 2),
      view.getUint8(at + 3),
    )
  if (view.byteLength < 12 || name(0) !== 'RIFF' || name(8) !== 'WAVE') return null
  let format: {
    readonly kind: number
    readonly channels: number
    readonly rate: number
    readonly bits: number
  } | null = null
  for (let at = 12; at + 8 <= view.byteLength;) {
    const [chunk, length] = [name(at), view.getUint32(at + 4, true)]
    const begin = at + 8
    if (chunk === 'fmt ' && begin + 16 <= view.byteLength) {
      const kind = view.getUint16(begin, true)
      const isExtended = kind === EXTENSIBLE && length >= 26 && begin + 26 <= view.byteLength
      format = {
        kind: isExtended ? view.getUint16(begin + 24, true) : kind,
        channels: view.getUint16(begin + 2, true),
        rate: view.getUint32(begin + 4, true),
        bits: view.getUint16(begin + 14, true),
      }
    } else if (chunk === 'data' && format) {
      // A file whose writer was interrupted says less, or more, than there is.
      return wavOf(view, begin, Math.min(length || Infinity, view.byteLength - begin), format)
    }
    at = begin + length + (length % 2)
  }
  return null
}

function wavOf(
  view: DataView,
  begin: number,
  length: number,
  { kind, channels, rate, bits }: { kind: number; channels: number; rate: number; bits: number },
): Wav | null {
  const read = reading(view, kind, bits)
  if (!read || channels === 0 || rate === 0) return null
  const bytes = bits / 8
  return {
    rate,
    channels,
    frames: Math.floor(length / (bytes * channels)),
    sample: (frame, channel) => read(begin + (frame * channels + channel) * bytes),
  }
}

function reading(view: DataView, kind: number, bits: number): ((at: number) => number) | null {
  if (kind === FLOAT && bits === 32) return (at) => view.getFloat32(at, true)
  if (kind === FLOAT && bits === 64) return (at) => view.getFloat64(at, true)
  if (kind !== PCM) return null
  switch (bits) {
    case 8:
      return (at) => (view.getUint8(at) - 128) / 2 ** 7
    case 16:
      return (at) => view.getInt16(at, true) / 2 ** 15
    case 24:
      return (at) => (view.getUint8(at) + view.getInt16(at + 1, true) * 2 ** 8) / 2 ** 23
    case 32:
      return (at) => view.getInt32(at, true) / 2 ** 31
    default:
      return null
  }
}

/** A sound as a file of 16-bit samples, which every browser plays. */
export function plainWav({ rate, channels, frames, sample }: Wav): Blob {
  const bytes = frames * channels * 2
  const view = new DataView(new ArrayBuffer(44 + bytes))
  const write = (at: number, text: string): void =>
    [...text].forEach((sign, i) => view.setUint8(at + i, sign.charCodeAt(0)))
  write(0, 'RIFF')
  view.setUint32(4, 36 + bytes, true)
  write(8, 'WAVEfmt ')
  view.setUint32(16, 16, true)
  view.setUint16(20, PCM, true)
  view.setUint16(22, channels, true)
  view.setUint32(24, rate, true)
  view.setUint32(28, rate * channels * 2, true)
  view.setUint16(32, channels * 2, true)
  view.setUint16(34, 16, true)
  write(36, 'data')
  view.setUint32(40, bytes, true)
  let at = 44
  for (let frame = 0; frame < frames; frame++) {
    for (let channel = 0; channel < channels; channel++) {
      const value = sample(frame, channel)
      view.setInt16(at, Math.round(Math.min(1, Math.max(-1, Number.isNaN(value) ? 0 : value)) * 32767), true)
      at += 2
    }
  }
  return new Blob([view.buffer], { type: 'audio/wav' })
}
