import { expect, it } from 'vitest'
import { byteUnit, linesOf, stairs } from './curveLines'

it('holds values until the next one', () => {
  expect(stairs([0, 10, 30], [1, 5, 2])).toEqual({ xs: [0, 10, 10, 30, 30], ys: [1, 1, 5, 5, 2] })
  expect(stairs([], [])).toEqual({ xs: [], ys: [] })
})

it('draws what is known', () => {
  const [line] = linesOf([{ name: 'a', xs: [0, 1, 2], ys: [null, 2, 0], tell: String }], ['red'])
  expect([[...line!.xs], [...line!.ys]]).toEqual([
    [1, 2],
    [2, 0],
  ])
})

it('draws sizes in the unit of the largest', () => {
  expect(byteUnit(1023)).toEqual({ unit: 'B', bytes: 1 })
  expect(byteUnit(1024 ** 3)).toEqual({ unit: 'GB', bytes: 1024 ** 3 })
  expect(byteUnit(1e30).unit).toBe('TB')
})
