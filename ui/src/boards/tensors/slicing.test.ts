import { describe, expect, it } from 'vitest'
import {
  arranged,
  firstSlice,
  gridOf,
  indexOf,
  isTurned,
  placeOf,
  readSlice,
  windowOf,
  withAxis,
  writeSlice,
} from './slicing'

const SHAPE = [2, 3, 4, 5]
const WINDOW = { row: 10, rows: 20, column: 1, columns: 2 }

describe('a slice', () => {
  it('begins with the last two axes', () => {
    expect(indexOf(firstSlice(SHAPE))).toBe('0,0,:,:')
    expect(indexOf(firstSlice([7]))).toBe(':')
    expect(indexOf(firstSlice([]))).toBe('')
  })

  it('comes back from its text', () => {
    const slice = { rows: 3, columns: 1, at: [1, 0, 2, 0] }

    expect(writeSlice(slice)).toBe('1.c.2.r')
    expect(readSlice('1.c.2.r', SHAPE)).toEqual(slice)
    expect(indexOf(slice)).toBe('1,:,2,:')
    expect(isTurned(slice)).toBe(true)
  })

  it('is the first one where the text does not fit, and stays inside the tensor', () => {
    for (const text of [undefined, '', 'r.c', '0.0.r.r', '0.x.r.c', 'r.c.-1.0'])
      expect(readSlice(text, SHAPE)).toEqual(firstSlice(SHAPE))
    expect(readSlice('99.r.c.7', SHAPE).at).toEqual([1, 0, 0, 4])
    expect(readSlice('r.c', [0, 3])).toEqual({ rows: 0, columns: 1, at: [0, 0] })
  })

  it('swaps its axes when the other one is chosen', () => {
    expect(withAxis(firstSlice(SHAPE), 'rows', 0)).toMatchObject({ rows: 0, columns: 3 })
    expect(withAxis(firstSlice(SHAPE), 'rows', 3)).toMatchObject({ rows: 3, columns: 2 })
  })
})

describe('the table of a slice', () => {
  it('has the sizes of its axes; vectors are wrapped', () => {
    expect(gridOf(SHAPE, firstSlice(SHAPE))).toEqual({ rows: 4, columns: 5, wrap: null })
    expect(gridOf([25], firstSlice([25]))).toEqual({ rows: 3, columns: 10, wrap: 10 })
    expect(gridOf([], firstSlice([]))).toEqual({ rows: 1, columns: 1, wrap: null })
    expect(gridOf([3, 0], firstSlice([3, 0]))).toMatchObject({ rows: 0, columns: 0 })
  })

  it('knows the index of each cell', () => {
    const slice = { rows: 3, columns: 1, at: [1, 0, 2, 0] }

    expect(placeOf(SHAPE, slice, gridOf(SHAPE, slice), 4, 2)).toEqual([1, 2, 2, 4])
    expect(placeOf([25], firstSlice([25]), gridOf([25], firstSlice([25])), 2, 4)).toEqual([24])
    expect(placeOf([25], firstSlice([25]), gridOf([25], firstSlice([25])), 2, 5)).toBeNull()
  })

  it('asks for the window of its cells and puts the answer in place', () => {
    const [plain, turned, vector] = [
      firstSlice([9, 9]),
      { rows: 1, columns: 0, at: [0, 0] },
      firstSlice([25]),
    ]

    expect(windowOf(plain, gridOf([9, 9], plain), WINDOW)).toEqual(WINDOW)
    expect(windowOf(turned, gridOf([9, 9], turned), WINDOW)).toEqual({
      row: 1,
      rows: 2,
      column: 10,
      columns: 20,
    })
    expect(windowOf(vector, gridOf([25], vector), { row: 1, rows: 2, column: 0, columns: 10 })).toEqual({
      row: 0,
      rows: 1,
      column: 10,
      columns: 20,
    })
    expect(
      arranged(turned, gridOf([9, 9], turned), [
        [1, 2, 3],
        [4, 5, 6],
      ]),
    ).toEqual([
      [1, 4],
      [2, 5],
      [3, 6],
    ])
    expect(arranged(vector, gridOf([25], vector), [[...Array(12).keys()]])).toEqual([
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [10, 11],
    ])
  })
})
