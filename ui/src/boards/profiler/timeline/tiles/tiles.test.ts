import { describe, expect, it, vi } from 'vitest'
import type { Lane } from './decode'
import { levelOf, placesIn, spanOf, TILE, Tiles } from './tiles'

const lane = (slices: number): ReadonlyMap<number, Lane> =>
  new Map([
    [
      0,
      {
        begin: new Float64Array(slices),
        duration: new Float64Array(slices),
        name: new Uint32Array(slices),
        row: new Uint32Array(slices),
        count: new Uint32Array(slices),
        activity: new Uint8Array(slices),
      },
    ],
  ])

describe('tiles', () => {
  it('are never coarser than the pixels of the screen', () => {
    expect([8, 9, 15.9, 16, 0.6].map(levelOf)).toEqual([3, 3, 3, 4, -1])
    vi.stubGlobal('devicePixelRatio', 2)
    expect([8, 15.9, 16].map(levelOf)).toEqual([2, 2, 3])
    vi.unstubAllGlobals()
  })

  it('cover a stretch of time without gaps', () => {
    const places = placesIn({ from: -10, to: TILE * 8 * 2 + 1 }, levelOf(9))

    expect(places.map(({ index }) => index)).toEqual([-1, 0, 1, 2])
    expect(places.map(spanOf)[1]).toEqual({ from: 0, to: TILE * 8 })
    expect(Number.isInteger(spanOf({ level: levelOf(1e-9), index: 3 }).from)).toBe(true)
  })

  it('that are missing are stood in for by coarser and finer ones', () => {
    const tiles = new Tiles()
    tiles.put({ level: 6, index: 0 }, 1, lane(1))
    tiles.put({ level: 3, index: 2 }, 1, lane(2))

    expect(tiles.best({ level: 4, index: 1 }, 1).map(({ level, index }) => [level, index])).toEqual([
      [6, 0],
      [3, 2],
    ])
    expect(tiles.best({ level: 4, index: 1 }, 2)).toEqual([])
    tiles.put({ level: 4, index: 1 }, 1, lane(3))
    expect(tiles.best({ level: 4, index: 1 }, 1).map(({ level }) => level)).toEqual([4])
  })

  it('that were not used for the longest time are forgotten', () => {
    const tiles = new Tiles(2 * (200 + 29 * 10))
    for (const index of [0, 1]) tiles.put({ level: 0, index }, 0, lane(10))
    tiles.get({ level: 0, index: 0 }, 0)
    tiles.put({ level: 0, index: 2 }, 0, lane(10))

    expect([0, 1, 2].map((index) => tiles.has({ level: 0, index }, 0))).toEqual([true, false, true])
  })
})
