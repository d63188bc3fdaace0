import { describe, expect, test } from 'vitest'
import { extentOf, peaksOf } from './peaks'
import { spectrogramOf, transform } from './spectrogram'
import { plainWav, readWav, type Wav } from './wav'

interface Layout {
  readonly kind?: number
  readonly bits?: number
  readonly channels?: number
  readonly claimed?: number
  readonly before?: readonly number[]
}

/** A WAV file around the bytes of its samples. */
function file(
  samples: readonly number[],
  { kind = 1, bits = 16, channels = 1, claimed = samples.length, before = [] }: Layout = {},
): ArrayBuffer {
  const word = (value: number): number[] => [value & 255, value >> 8]
  const long = (value: number): number[] => [...word(value & 0xffff), ...word(value >>> 16)]
  const text = (value: string): number[] => [...value].map((sign) => sign.charCodeAt(0))
  const extra =
    kind === 0xfffe
      ? [...word(22), ...word(bits), ...long(0), ...word(3), ...new Array<number>(14).fill(0)]
      : []
  const format = [
    ...word(kind),
    ...word(channels),
    ...long(8000),
    ...long((8000 * channels * bits) / 8),
    ...word((channels * bits) / 8),
    ...word(bits),
    ...extra,
  ]
  const body = [
    ...text('WAVE'),
    ...before,
    ...text('fmt '),
    ...long(format.length),
    ...format,
    ...text('data'),
    ...long(claimed),
    ...samples,
  ]
  return new Uint8Array([...text('RIFF'), ...long(body.length), ...body]).buffer
}

const bytesOf = (array: Float32Array | Float64Array | Int16Array | Int32Array): number[] => [
  ...new Uint8Array(array.buffer),
]
const samplesOf = (wav: Wav | null, channel = 0): number[] =>
  Array.from({ length: wav!.frames }, (_, i) => wav!.sample(i, channel))

const sine = (frames: number, perFrame: number): Wav => ({
  rate: 8000,
  channels: 1,
  frames,
  sample: (frame) => Math.sin(2 * Math.PI * perFrame * frame),
})

describe('a WAV file', () => {
  test.each([
    ['8 bits', file([0, 128, 192], { bits: 8 }), [-1, 0, 0.5]],
    ['16 bits', file(bytesOf(Int16Array.of(-32768, 0, 16384))), [-1, 0, 0.5]],
    ['24 bits', file([0, 0, 0x80, 0, 0, 0, 0, 0, 0x40], { bits: 24 }), [-1, 0, 0.5]],
    ['32 bits', file(bytesOf(Int32Array.of(-(2 ** 31), 0, 2 ** 30)), { bits: 32 }), [-1, 0, 0.5]],
    ['floats', file(bytesOf(Float32Array.of(-1, 0, 0.5)), { kind: 3, bits: 32 }), [-1, 0, 0.5]],
    ['doubles', file(bytesOf(Float64Array.of(-1, 0, 0.5)), { kind: 3, bits: 64 }), [-1, 0, 0.5]],
    [
      'floats, described at length',
      file(bytesOf(Float32Array.of(-1, 0, 0.5)), { kind: 0xfffe, bits: 32 }),
      [-1, 0, 0.5],
    ],
    [
      'notes before the samples',
      file(bytesOf(Int16Array.of(16384)), { before: [76, 73, 83, 84, 3, 0, 0, 0, 1, 2, 3, 0] }),
      [0.5],
    ],
    [
      'more samples announced than there are',
      file(bytesOf(Int16Array.of(16384, 0)), { claimed: 4e9 }),
      [0.5, 0],
    ],
    [
      'no length, as of a writer that was stopped',
      file(bytesOf(Int16Array.of(16384, 0)), { claimed: 0 }),
      [0.5, 0],
    ],
  ])('is read: %s', (_, data, samples) => {
    expect(samplesOf(readWav(data))).toEqual(samples)
    expect(readWav(data)!.rate).toBe(8000)
  })

  test('has channels', () => {
    const wav = readWav(file(bytesOf(Int16Array.of(16384, -16384, 0, 8192)), { channels: 2 }))

    expect([samplesOf(wav, 0), samplesOf(wav, 1)]).toEqual([
      [0.5, 0],
      [-0.5, 0.25],
    ])
  })

  test.each([
    ['nothing', new ArrayBuffer(0)],
    ['no WAV', new TextEncoder().encode('no sound at all, only words').buffer],
    ['cut in its head', file([1, 2]).slice(0, 30)],
    ['packed samples', file([1, 2], { kind: 2 })],
    ['no channels', file([1, 2], { channels: 0 })],
    ['12 bits', file([1, 2], { bits: 12 })],
  ])('is refused: %s', (_, data) => {
    expect(readWav(data)).toBeNull()
  })

  test('is written anew with the same sound', async () => {
    const given = readWav(file(bytesOf(Float64Array.of(-1, 0.25, 7, NaN)), { kind: 3, bits: 64 }))!

    const found = samplesOf(readWav(await plainWav(given).arrayBuffer()))

    expect(found.map((value) => Math.round(value * 1000) / 1000)).toEqual([-1, 0.25, 1, 0])
  })
})

describe('an outline', () => {
  test('never loses a peak', () => {
    const wav: Wav = {
      rate: 1,
      channels: 1,
      frames: 100_000,
      sample: (frame) => (frame === 77_777 ? 0.9 : frame === 5 ? -0.8 : 0),
    }
    const [peaks] = peaksOf(wav, 100)

    expect(extentOf(peaks!, 0, 1)).toEqual([Math.fround(-0.8), Math.fround(0.9)])
    expect(extentOf(peaks!, 0.77, 0.78)[1]).toBe(Math.fround(0.9))
    expect(extentOf(peaks!, 0.5, 0.6)).toEqual([0, 0])
  })

  test('of a short sound has every sample', () => {
    expect([...peaksOf({ rate: 1, channels: 1, frames: 2, sample: (frame) => frame }, 100)[0]!]).toEqual([
      0, 0, 1, 1,
    ])
  })
})

describe('a spectrogram', () => {
  test('is as the definition has it', () => {
    const [real, imaginary] = [Float64Array.from({ length: 16 }, (_, i) => (i * 7) % 5), new Float64Array(16)]
    const given = [...real]

    transform(real, imaginary)

    for (let k = 0; k < 16; k++) {
      expect(real[k]).toBeCloseTo(
        given.reduce((sum, value, i) => sum + value * Math.cos((2 * Math.PI * k * i) / 16), 0),
        9,
      )
      expect(imaginary[k]).toBeCloseTo(
        given.reduce((sum, value, i) => sum - value * Math.sin((2 * Math.PI * k * i) / 16), 0),
        9,
      )
    }
  })

  test('has a tone at its frequency', () => {
    const { columns, rows, levels } = spectrogramOf(sine(8000, 0.125))

    const middle = [...levels.slice(Math.floor(columns / 2) * rows, (Math.floor(columns / 2) + 1) * rows)]
    expect(middle.indexOf(Math.max(...middle)) / rows).toBeCloseTo(0.25, 2)
    expect(Math.max(...levels)).toBe(255)
  })

  test('of silence, and of a sound of one sample, is a picture too', () => {
    expect(Math.max(...spectrogramOf({ rate: 8000, channels: 1, frames: 500, sample: () => 0 }).levels)).toBe(
      0,
    )
    expect(spectrogramOf({ rate: 8000, channels: 2, frames: 1, sample: () => 1 }).columns).toBe(1)
  })
})
