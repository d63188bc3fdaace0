import { describe, expect, it } from 'vitest'
import { arriveAt, current, stepBack, zoomInto, type Box, type ZoomPath } from './zoom'

const box = (from: number, to: number): Box => ({ x: [from, to], left: [0, 1], right: null })

describe('zoom path', () => {
  it('goes back one box at a time to the whole chart', () => {
    let path: ZoomPath = []
    path = zoomInto(path, box(0, 50))
    path = zoomInto(path, box(10, 20))

    path = stepBack(path)
    expect(current(path)).toEqual(box(0, 50))

    path = stepBack(path)
    expect(current(path)).toBeNull()
  })

  it('follows the history of the browser', () => {
    const path = [box(0, 50), box(10, 20)]

    expect(arriveAt(path, box(0, 50))).toEqual([box(0, 50)])
    expect(arriveAt(path, null)).toEqual([])
  })

  it('keeps outer boxes when a new inner one comes from elsewhere', () => {
    expect(arriveAt([box(0, 50), box(30, 40)], box(10, 20))).toEqual([box(0, 50), box(10, 20)])
    expect(arriveAt([], box(1, 2))).toEqual([box(1, 2)])
  })
})
