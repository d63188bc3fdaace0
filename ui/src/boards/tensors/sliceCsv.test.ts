import { expect, it } from 'vitest'
import type { TensorItem, Window } from './api'
import { sliceCsv, SliceTooLarge } from './sliceCsv'
import { firstSlice } from './slicing'

const item = (shape: readonly number[], dtype = 'float32'): TensorItem => ({
  step: 0,
  wall: 0,
  dtype,
  shape,
  statistics: null,
  url: null,
  error: null,
})
/** Numbers that say where they are. */
const numbers = (_: string, { row, rows, column, columns }: Window) =>
  Promise.resolve(
    Array.from({ length: rows }, (__, r) =>
      Array.from({ length: columns }, (___, c) => (row + r) * 1000 + column + c),
    ),
  )

it('has a line for each row, also when rows and columns are exchanged', async () => {
  expect(await sliceCsv(item([2, 3]), firstSlice([2, 3]), numbers)).toBe('0,1,2\n1000,1001,1002\n')
  expect(await sliceCsv(item([2, 3]), { rows: 1, columns: 0, at: [0, 0] }, numbers)).toBe(
    '0,1000\n1,1001\n2,1002\n',
  )
})

it('has a line for each number of a vector', async () => {
  const fetch = (_: string, { column, columns }: Window) =>
    Promise.resolve([Array.from({ length: Math.min(columns, 12 - column) }, (__, i) => column + i)])

  expect(await sliceCsv(item([12]), firstSlice([12]), fetch)).toBe(
    Array.from({ length: 12 }, (_, i) => `${i}\n`).join(''),
  )
})

it('fetches large slices part by part and refuses huge ones', async () => {
  const asked: number[] = []
  await sliceCsv(item([300, 1000]), firstSlice([300, 1000]), (index, window) => {
    asked.push(window.rows)
    return numbers(index, window)
  })

  expect(asked).toEqual([100, 100, 100])
  await expect(sliceCsv(item([3000, 1000]), firstSlice([3000, 1000]), numbers)).rejects.toThrow(SliceTooLarge)
})

it('marks text that a spreadsheet would run', async () => {
  expect(
    await sliceCsv(item([1, 3], 'string'), firstSlice([1, 3]), () =>
      Promise.resolve([['=1+1', 'a,"b"', '-5']]),
    ),
  ).toBe('\'=1+1,"a,""b""",-5\n')
})
