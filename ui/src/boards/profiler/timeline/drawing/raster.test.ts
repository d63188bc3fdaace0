import { describe, expect, it } from 'vitest'
import type { Lane } from '@/boards/profiler/timeline/tiles/decode'
import { fillLine, type Paints } from './raster'

const lane = (...slices: readonly (readonly [begin: number, duration: number, name: number])[]): Lane => ({
  begin: Float64Array.from(slices, ([begin]) => begin),
  duration: Float64Array.from(slices, ([, duration]) => duration),
  name: Uint32Array.from(slices, ([, , name]) => name),
  row: new Uint32Array(slices.length),
  count: new Uint32Array(slices.length).fill(1),
  activity: new Uint8Array(slices.length),
})
const PAINTS: Paints = { colours: Uint32Array.of(0, 1, 2, 3), isByName: true, matches: null, faded: 9 }
const drawn = (slices: Lane, part = { from: 0, to: 100 }, offset = 0, paints = PAINTS): string => {
  const line = new Uint32Array(10)
  fillLine(line, { from: 0, to: 100 }, slices, part, offset, paints)
  return [...line].join('')
}

describe('a line of pixels', () => {
  it('shows slices from begin to end, with a gap after those that are wide enough', () => {
    expect(drawn(lane([0, 40, 1], [40, 20, 2], [90, 50, 3]))).toBe('1110220003')
  })

  it('keeps gaps between neighbours that meet within a pixel', () => {
    expect(drawn(lane([0, 46, 1], [46, 54, 1]))).toBe('1111011110')
  })

  it('has no gaps between neighbours that are narrow and less than a pixel apart', () => {
    expect(drawn(lane([0, 4, 1], [6, 8, 1], [16, 8, 1], [26, 14, 1]))).toBe('1111000000')
  })

  it('shows even the shortest slice', () => {
    expect(drawn(lane([35, 0, 2]))).toBe('0002000000')
  })

  it('begins within a slice that began before', () => {
    expect(drawn(lane([-500, 520, 1]))).toBe('1000000000')
  })

  it('is filled only for its part', () => {
    expect(drawn(lane([0, 100, 1]), { from: 30, to: 60 })).toBe('0001110000')
  })

  it('moves slices of another clock', () => {
    expect(drawn(lane([0, 20, 1]), { from: 0, to: 100 }, 50)).toBe('0000011000')
  })

  it('fades what is not looked for', () => {
    expect(
      drawn(lane([0, 20, 1], [20, 20, 2]), { from: 0, to: 100 }, 0, {
        ...PAINTS,
        matches: Uint8Array.of(0, 0, 1, 0),
      }),
    ).toBe('9922000000')
  })
})
