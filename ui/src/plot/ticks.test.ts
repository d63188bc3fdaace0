import { describe, expect, it } from 'vitest'
import { durationTicks, linearTicks, logTicks, timeTicks } from './ticks'

describe('linearTicks', () => {
  it('puts round values inside the range', () => {
    expect(linearTicks(0, 1, 5).values).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
    expect(linearTicks(-3, 7, 5).values).toEqual([-2, 0, 2, 4, 6])
  })

  it('stays whole for steps', () => expect(linearTicks(0, 2, 10, true).values).toEqual([0, 1, 2]))

  it.each([
    [0, 1e-12],
    [1e15, 1e15 + 10],
    [-1e30, 1e30],
    [0.1, 0.1000001],
  ])('has few, ascending ticks between %s and %s', (lo, hi) => {
    const { values, labels } = linearTicks(lo, hi, 6)

    expect(values.length).toBeGreaterThan(1)
    expect(values.length).toBeLessThanOrEqual(8)
    expect(new Set(labels).size).toBe(values.length)
    values.forEach((value, i) => i > 0 && expect(value).toBeGreaterThan(values[i - 1]!))
  })

  it('has none for an empty or broken range', () => {
    expect(linearTicks(1, 1, 5).values).toEqual([])
    expect(linearTicks(NaN, 1, 5).values).toEqual([])
  })
})

describe('logTicks', () => {
  it('takes powers of ten', () =>
    expect(logTicks(1e-4, 1e2, 6).values).toEqual([1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100]))
  it('adds values between when there is room', () =>
    expect(logTicks(1, 100, 8).values).toEqual([1, 2, 5, 10, 20, 50, 100]))
  it('is linear inside a decade', () => expect(logTicks(2, 4, 4).values).toEqual([2, 2.5, 3, 3.5, 4]))
  it('has none below zero', () => expect(logTicks(-1, 5, 4).values).toEqual([]))
  it('skips decades when there are many', () =>
    expect(logTicks(1e-30, 1e30, 6).values.length).toBeLessThanOrEqual(8))
})

describe('time ticks', () => {
  it('are round durations', () =>
    expect(durationTicks(0, 7200, 4).values).toEqual([0, 1800, 3600, 5400, 7200]))

  it('are round local times and say the date once', () => {
    const noon = new Date(2026, 2, 1, 12).getTime() / 1000
    const { values, labels } = timeTicks(noon, noon + 4 * 3600, 4)

    expect(values).toEqual([0, 1, 2, 3, 4].map((hour) => noon + hour * 3600))
    expect(labels).toEqual(['03-01 12:00', '13:00', '14:00', '15:00', '16:00'])
  })

  it('tell fractions of a second apart', () => {
    const { labels } = timeTicks(1e9, 1e9 + 1, 5)

    expect(new Set(labels).size).toBe(labels.length)
  })
})
