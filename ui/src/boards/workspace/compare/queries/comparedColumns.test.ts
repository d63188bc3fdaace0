import { describe, expect, it } from 'vitest'
import { unpack } from './comparedColumns'

function packed(described: object, columns: readonly ArrayBufferView[]): ArrayBuffer {
  const text = new TextEncoder().encode(JSON.stringify(described))
  const fill = (length: number): number => Math.ceil(length / 8) * 8
  const bytes = new Uint8Array(
    8 + fill(text.length) + columns.reduce((sum, { byteLength }) => sum + fill(byteLength), 0),
  )
  bytes.set([...'MICC'].map((sign) => sign.charCodeAt(0)))
  bytes.fill(32, 8, 8 + fill(text.length))
  bytes.set(text, 8)
  new DataView(bytes.buffer).setUint32(4, fill(text.length), true)
  let at = 8 + fill(text.length)
  for (const { buffer, byteLength } of columns) {
    bytes.set(new Uint8Array(buffer as ArrayBuffer), at)
    at += fill(byteLength)
  }
  return bytes.buffer
}

describe('packed columns', () => {
  const bytes = packed(
    {
      without: { loss: 1 },
      series: [
        { run: 'ä', points: 1 },
        { run: 'b', points: 2 },
      ],
      columns: [
        { name: 'x', type: 'i4', count: 3 },
        { name: 'values', type: 'f4', count: 3 },
        { name: 'smoothed', type: 'f8', count: 3 },
      ],
    },
    [Int32Array.of(7, 1, 2), Float32Array.of(0.5, NaN, -Infinity), Float64Array.of(0.1, 0.2, 1e300)],
  )

  it('come out as numbers of each series', () => {
    const { described, series } = unpack<{ series: { run: string }[]; without: object }>(bytes)

    expect([described.without, described.series.map(({ run }) => run)]).toEqual([{ loss: 1 }, ['ä', 'b']])
    expect([...series[0]!['x']!, ...series[0]!['values']!, ...series[0]!['smoothed']!]).toEqual([7, 0.5, 0.1])
    expect([[...series[1]!['x']!], [...series[1]!['values']!], [...series[1]!['smoothed']!]]).toEqual([
      [1, 2],
      [NaN, -Infinity],
      [0.2, 1e300],
    ])
  })

  it('that are cut off or something else are refused', () => {
    expect(() => unpack(bytes.slice(0, bytes.byteLength - 8))).toThrow('cut off')
    expect(() => unpack(bytes.slice(0, 40))).toThrow('cut off')
    expect(() => unpack(new ArrayBuffer(100))).toThrow('not an answer')
  })
})
