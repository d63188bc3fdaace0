import { describe, expect, it } from 'vitest'
import { matrixColumns, moved, NO_ZOOM, place, zoomAt } from './placing'

const STAGE = { width: 200, height: 100 }

describe('place', () => {
  it('fits a picture into the middle, small ones enlarged', () => {
    expect(place(STAGE, { width: 10, height: 10 }, NO_ZOOM, false)).toEqual({
      left: 50,
      top: 0,
      width: 100,
      height: 100,
    })
    expect(place(STAGE, { width: 4000, height: 1000 }, NO_ZOOM, false)).toEqual({
      left: 0,
      top: 25,
      width: 200,
      height: 50,
    })
  })

  it('shows each pixel as one in actual size', () => {
    expect(place(STAGE, { width: 10, height: 20 }, NO_ZOOM, true)).toEqual({
      left: 95,
      top: 40,
      width: 10,
      height: 20,
    })
    expect(place(STAGE, { width: 400, height: 300 }, NO_ZOOM, true)).toEqual({
      left: -100,
      top: -100,
      width: 400,
      height: 300,
    })
  })

  it('leaves no gap at an edge', () => {
    expect(place(STAGE, { width: 20, height: 10 }, { factor: 4, x: 0, y: 1 }, false)).toEqual({
      left: 0,
      top: -300,
      width: 800,
      height: 400,
    })
  })
})

describe('zoomAt', () => {
  it('keeps the point under the pointer', () => {
    const picture = { width: 20, height: 10 }
    const before = place(STAGE, picture, NO_ZOOM, false)
    const zoom = zoomAt(NO_ZOOM, 2, before, STAGE, 50, 20)
    const after = place(STAGE, picture, zoom, false)

    expect((50 - after.left) / after.width).toBeCloseTo((50 - before.left) / before.width)
    expect((20 - after.top) / after.height).toBeCloseTo((20 - before.top) / before.height)
  })

  it('has limits', () => {
    const now = place(STAGE, STAGE, NO_ZOOM, false)

    expect(zoomAt(NO_ZOOM, 1e9, now, STAGE, 0, 0).factor).toBe(256)
    expect(zoomAt(NO_ZOOM, 1e-9, now, STAGE, 0, 0).factor).toBe(0.125)
  })
})

describe('moved', () => {
  it('pulls the picture along', () => {
    const zoom = { factor: 4, x: 0.5, y: 0.5 }
    const before = place(STAGE, STAGE, zoom, false)
    const after = place(STAGE, STAGE, moved(zoom, before, STAGE, 30, -10), false)

    expect([after.left - before.left, after.top - before.top]).toEqual([30, -10])
  })

  it('turns back at once after being pulled beyond an edge', () => {
    const zoom = { factor: 2, x: 0, y: 0.5 }
    const before = place(STAGE, STAGE, zoom, false)
    const after = place(STAGE, STAGE, moved(zoom, before, STAGE, -20, 0), false)

    expect(after.left - before.left).toBe(-20)
  })
})

describe('matrixColumns', () => {
  it.each([
    [1, 1],
    [2, 2],
    [8, 4],
    [9, 5],
  ])('puts %i square pictures into %i columns of a wide stage', (count, columns) =>
    expect(matrixColumns(count, STAGE, { width: 8, height: 8 })).toBe(columns),
  )

  it('stacks wide ones', () => expect(matrixColumns(3, STAGE, { width: 100, height: 8 })).toBe(1))
})
