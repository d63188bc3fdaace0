import { describe, expect, it } from 'vitest'
import { decode, lastBefore } from './decode'

interface Group {
  readonly track: number
  readonly lane: number
  readonly slices: readonly (readonly [
    begin: number,
    duration: number,
    name: number,
    row: number,
    count: number,
    activity: number,
  ])[]
}

/** As the service writes it: all of one column of all groups, then the next column. */
function encoded(from: number, to: number, groups: readonly Group[]): ArrayBuffer {
  const slices = groups.flatMap(({ slices }) => slices)
  const buffer = new ArrayBuffer(
    28 + groups.length * 12 + slices.length * 28 + Math.ceil(slices.length / 4) * 4,
  )
  const view = new DataView(buffer)
  new Uint8Array(buffer).set([...'MITL'].map((sign) => sign.charCodeAt(0)))
  view.setUint32(4, 1, true)
  view.setBigInt64(8, BigInt(from), true)
  view.setBigInt64(16, BigInt(to), true)
  view.setUint32(24, groups.length, true)
  let at = 28
  const put = (value: number): void => view.setUint32((at += 4) - 4, value, true)
  for (const { track, lane, slices } of groups) [track, lane, slices.length].forEach(put)
  for (const column of [0, 1])
    for (const slice of slices) view.setFloat64((at += 8) - 8, slice[column]!, true)
  for (const column of [2, 3, 4]) for (const slice of slices) put(slice[column]!)
  for (const slice of slices) view.setUint8(at++, slice[5])
  return buffer
}

describe('a drawing', () => {
  // Two groups: the columns of 8 bytes begin at 28 + 24 = 52, which is no multiple of 8.
  const bytes = encoded(1000, 5000, [
    {
      track: 3,
      lane: 0,
      slices: [
        [-50, 100, 7, 11, 1, 2],
        [200, 10, 8, 12, 5, 1],
      ],
    },
    { track: 3, lane: 1, slices: [[60, 5, 9, 20, 1, 8]] },
  ])

  it('comes out by track and lane, with times as in the recording', () => {
    const { from, to, tracks } = decode(bytes)

    expect([from, to, [...tracks.keys()]]).toEqual([1000, 5000, [3]])
    const [first, second] = [tracks.get(3)!.get(0)!, tracks.get(3)!.get(1)!]
    expect([...first.begin]).toEqual([950, 1200])
    expect([...first.duration]).toEqual([100, 10])
    expect([...first.name, ...first.row, ...first.count, ...first.activity]).toEqual([
      7, 8, 11, 12, 1, 5, 2, 1,
    ])
    expect([second.begin[0], second.duration[0], second.name[0], second.row[0], second.activity[0]]).toEqual([
      1060, 5, 9, 20, 8,
    ])
  })

  it('that is cut off or something else is refused', () => {
    expect(() => decode(bytes.slice(0, bytes.byteLength - 8))).toThrow('cut off')
    expect(() => decode(bytes.slice(0, 40))).toThrow('cut off')
    expect(() => decode(new ArrayBuffer(100))).toThrow('not a drawing')
  })

  it('is searched by time', () => {
    const lane = decode(bytes).tracks.get(3)!.get(0)!

    expect([900, 950, 1199, 1200, 9000].map((time) => lastBefore(lane, time))).toEqual([-1, 0, 0, 1, 1])
  })

  it('without slices is empty', () => {
    expect(decode(encoded(0, 1, [])).tracks.size).toBe(0)
  })
})
