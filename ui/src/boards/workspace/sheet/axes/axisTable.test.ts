import { describe, expect, it } from 'vitest'
import {
  axisOf,
  axisTicks,
  brushOf,
  canBeLog,
  coveredBy,
  isSpread,
  kept,
  partOf,
  partsOf,
  scalesOf,
  type Column,
} from './axisTable'

const column = (...values: Column['values'][number][]): Column => ({ key: 'k', label: 'K', values })

describe('axes', () => {
  it('places numbers between the smallest and the largest', () => {
    const axis = axisOf(column(2, 4, 10, null, NaN))

    expect([...partsOf(axis)]).toEqual([0, 0.25, 1, NaN, NaN])
  })

  it('places numbers of different sizes by their logarithm', () => {
    const axis = axisOf(column(1e-4, 1e-3, 1e-2), 'log')

    expect(partOf(axis, 1e-3)).toBeCloseTo(0.5)
  })

  it('is never logarithmic where a number is not positive', () => {
    expect(canBeLog(column(0, 1))).toBe(false)
    expect(axisOf(column(0, 1), 'log')).toMatchObject({ scale: { isLog: false } })
    expect(isSpread(column(1e-4, 1e-1))).toBe(true)
    expect(isSpread(column(1, 20))).toBe(false)
  })

  it('places numbers by their rank, equal ones together', () => {
    const axis = axisOf(column(1, 1000, 2, 2, null), 'quantile')

    expect([...partsOf(axis)]).toEqual([0, 1, 0.5, 0.5, NaN])
    expect(brushOf(axis, 0.4, 0.9)).toEqual({ kind: 'range', lo: 2, hi: 2 })
    expect(brushOf(axis, 0.6, 0.9)).toBeNull()
    expect(coveredBy(axis, { kind: 'range', lo: 2, hi: 99999 })).toEqual([[0.5, 1]])
    expect(scalesOf(column('a'))).toEqual([])
    expect(scalesOf(column(0, 1))).toEqual(['linear', 'quantile'])
  })

  it('labels ranks with the numbers that are there', () => {
    const many = Array.from({ length: 101 }, (_, i) => 2 ** (i / 10))

    expect(axisTicks(axisOf(column(...many), 'quantile'), 3)).toMatchObject({
      values: [1, 32, 1024],
      parts: [0, 0.5, 1],
    })
  })

  it('puts a single number in the middle', () => {
    expect(partOf(axisOf(column(5, 5)), 5)).toBeCloseTo(0.5)
  })

  it('shows names, truth values and mixtures as names in natural order', () => {
    expect(axisOf(column('a10', 'a9', null))).toMatchObject({ kind: 'names', names: ['a9', 'a10'] })
    expect(axisOf(column(true, false))).toMatchObject({ kind: 'names', names: ['false', 'true'] })
    expect(axisOf(column(1, 'one'))).toMatchObject({ kind: 'names', names: ['1', 'one'] })
    expect([...partsOf(axisOf(column('b', 'a', null)))]).toEqual([0.75, 0.25, NaN])
  })

  it('labels few numbers by themselves', () => {
    expect(axisTicks(axisOf(column(16, 32, 64)), 6).values).toEqual([16, 32, 64])
  })
})

describe('brushes', () => {
  it('keep numbers of a range and names of a stretch', () => {
    const numbers = axisOf(column(0, 10))
    const names = axisOf(column('a', 'b', 'c', 'd'))

    expect(brushOf(numbers, 0.8, 0.2)).toEqual({ kind: 'range', lo: 2, hi: 8 })
    expect(brushOf(names, 0.3, 0.7)).toEqual({ kind: 'names', names: ['b', 'c'] })
    expect(brushOf(names, 0.3, 0.31)).toBeNull()
  })

  it('cover the stretch they were drawn over', () => {
    const numbers = axisOf(column(0, 10))

    expect(coveredBy(numbers, { kind: 'range', lo: 2, hi: 99 })).toEqual([[0.2, 1]])
    expect(coveredBy(axisOf(column('a', 'b')), { kind: 'names', names: ['b'] })).toEqual([[0.5, 1]])
  })

  it('let pass only rows that every one of them keeps', () => {
    const columns: Column[] = [
      { key: 'lr', label: '', values: [1, 2, 3, null] },
      { key: 'opt', label: '', values: ['sgd', 'adam', 'adam', 'adam'] },
    ]

    expect([...kept(columns, new Map([['lr', { kind: 'range', lo: 2, hi: 3 }]]), 4)]).toEqual([0, 1, 1, 0])
    expect([
      ...kept(
        columns,
        new Map([
          ['lr', { kind: 'range', lo: 1, hi: 2 }],
          ['opt', { kind: 'names', names: ['adam'] }],
        ]),
        4,
      ),
    ]).toEqual([0, 1, 0, 0])
    expect([...kept(columns, new Map([['gone', { kind: 'names', names: [] }]]), 4)]).toEqual([1, 1, 1, 1])
  })
})
