import { describe, expect, it } from 'vitest'
import { LANE, layoutOf } from './drawing/rowLayout'
import { laneBox, sliceAt, tracksIn } from './sliceLookup'
import type { Lane } from './tiles/decode'
import { Tiles } from './tiles/tiles'
import type { Source } from './tiles/traceSource'

const lane = (...begins: readonly number[]): Lane => ({
  begin: Float64Array.from(begins),
  duration: new Float64Array(begins.length).fill(10),
  name: Uint32Array.from(begins, (_, i) => i),
  row: Uint32Array.from(begins, (_, i) => 100 + i),
  count: new Uint32Array(begins.length).fill(1),
  activity: new Uint8Array(begins.length),
})

const tiles = new Tiles()
tiles.put(
  { level: 0, index: 0 },
  4,
  new Map([
    [0, lane(0, 50, 300)],
    [1, lane(52)],
  ]),
)
const tracks = [
  { id: 4, name: 'main', process: 'python', order: 0, lanes: 2, slices: 4, place: '', device: -1 },
]
const source = { offset: 1000, texts: ['conv', 'relu', 'add'], tiles } as unknown as Source
const layout = layoutOf([{ id: 'a', title: '', note: '', tracks, counters: [] }], new Set(), {
  measures: '',
  pinned: '',
})
const box = laneBox(layout, 0, 4, 1)!
const at = (time: number, lane: number) =>
  sliceAt(layout, [source], time, laneBox(layout, 0, 4, lane)!.y + 1, 1)

describe('a slice', () => {
  it('is found at its time, on the clock of the timeline', () => {
    expect(at(1055, 0)).toEqual({
      source: 0,
      track: 4,
      lane: 0,
      row: 101,
      name: 'relu',
      begin: 1050,
      duration: 10,
      count: 1,
    })
    expect(at(1055, 1)?.begin).toBe(1052)
  })

  it('is found by a pointer that is a little beside it, and not by one further away', () => {
    expect(at(1298, 0)?.name).toBe('add')
    expect(at(1200, 0)).toBeNull()
  })

  it('is not found above all tracks', () => {
    expect(sliceAt(layout, [source], 1055, 2, 1)).toBeNull()
  })
})

it('lanes have their boxes, and heights their tracks', () => {
  expect(box.height).toBe(LANE)
  expect(laneBox(layout, 0, 5, 0)).toBeNull()
  expect(tracksIn(layout, { from: box.y, to: box.y + 1 }).map(({ track }) => track)).toEqual([4])
})
