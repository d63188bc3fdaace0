import { expect, it } from 'vitest'
import { entryText, exactText, heatOf } from './gridEntries'

const FOUR = { digits: 4, isScientific: false }

it('writes numbers with the digits that were asked for', () => {
  expect(entryText(0.123456, FOUR)).toBe('0.1235')
  expect(entryText(-1.5, FOUR)).toBe('−1.5')
  expect(entryText(123456, FOUR)).toBe('123456')
  expect(entryText(0.123456, { digits: 3, isScientific: true })).toBe('1.23e−1')
  expect(entryText(NaN, { digits: 3, isScientific: true })).toBe('NaN')
  expect(entryText(true, FOUR)).toBe('true')
  expect(entryText('-9007199254740993', FOUR)).toBe('−9007199254740993')
  expect(entryText('-x', FOUR)).toBe('-x')
  expect(entryText(undefined, FOUR)).toBe('')
})

it('copies numbers exactly', () => {
  expect(exactText(0.10000000149011612)).toBe('0.10000000149011612')
  expect(exactText(-Infinity)).toBe('-Infinity')
})

it('colours by the distance from zero, or from the smallest to the largest', () => {
  expect(heatOf(-1, -2, 4)).toEqual({ side: 'low', part: 0.25 })
  expect(heatOf(4, -2, 4)).toEqual({ side: 'high', part: 1 })
  expect(heatOf(3, 2, 4)).toEqual({ side: 'high', part: 0.5 })
  expect(heatOf(-4, -4, -2)).toEqual({ side: 'low', part: 1 })
  expect(heatOf(true, 0, 1)).toEqual({ side: 'high', part: 1 })
  expect(heatOf(1e308, -1e308, 1.7e308)!.part).toBeLessThan(1)
  expect(heatOf(1e308, 1, 1.7e308)!.part).toBeCloseTo(0.588, 2)
  for (const entry of [NaN, Infinity, 'text', undefined]) expect(heatOf(entry, 0, 1)).toBeNull()
  expect(heatOf(1, NaN, NaN)).toBeNull()
})
