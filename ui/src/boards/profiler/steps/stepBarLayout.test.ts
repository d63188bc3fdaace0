import { describe, expect, it } from 'vitest'
import { barsOf, stackingOf, type Step } from './stepBarLayout'

const step = (number: number, compute: number, isUnusual = false): Step => ({
  number,
  begin: 0,
  end: 0,
  begin_ns: 0,
  end_ns: 0,
  duration: compute + 1,
  is_partial: false,
  parts: { compute, other: 1 },
  overlapped: 0,
  is_unusual: isUnusual,
  why: [],
})

describe('bars of steps', () => {
  it('are one each where there is room', () => {
    expect(barsOf([step(0, 1), step(1, 3)], 10).map(({ duration }) => duration)).toEqual([2, 4])
  })

  it('are means of neighbours where there is not, and none is left out', () => {
    const bars = barsOf([step(0, 1), step(1, 3), step(2, 5), step(3, 7, true)], 2)

    expect(bars).toEqual([
      { first: 0, last: 2, duration: 3, parts: { compute: 2, other: 1 }, isUnusual: false },
      { first: 2, last: 4, duration: 7, parts: { compute: 6, other: 1 }, isUnusual: true },
    ])
  })

  it('are stretches where parts are not known of all steps', () => {
    const known = { ...step(0, 2), interval: 1, forward_backward: 1, tail: 1 }
    const unknown = { ...known, number: 1, parts: {} }

    expect(stackingOf([step(0, 1)])).toBe('parts')
    expect(stackingOf([known, unknown])).toBe('stretches')
    expect(stackingOf([{ ...step(0, 1), parts: {} }])).toBe('whole')
    expect(barsOf([known, unknown], 1, 'stretches')[0]!.parts).toEqual({
      interval: 1,
      forward_backward: 1,
      tail: 1,
    })
  })
})
