import { describe, expect, it } from 'vitest'
import { smooth } from './smoothing'

describe('smooth', () => {
  it('is the debiased moving average, term by term', () => {
    const values = Float64Array.of(1, 3, 2, 8, -4)

    const smoothed = smooth(values, 0.6)

    const expected = Array.from(values, (_, n) => {
      let sum = 0
      for (let i = 0; i <= n; i++) sum += 0.4 * 0.6 ** (n - i) * values[i]!
      return sum / (1 - 0.6 ** (n + 1))
    })
    expected.forEach((value, i) => expect(smoothed[i]).toBeCloseTo(value, 12))
  })

  it('leaves a constant as it is, to the last bit, and starts at the first value', () => {
    const constant = new Float64Array(50).fill(0.001)

    expect(smooth(constant, 0.6)).toEqual(constant)
    expect(smooth(Float64Array.of(0.1, 0), 0.999)[0]).toBe(0.1)
  })

  it('passes non-finite values through without counting them', () => {
    const withGap = smooth(Float64Array.of(1, NaN, Infinity, 3), 0.5)
    const without = smooth(Float64Array.of(1, 3), 0.5)

    expect(withGap[1]).toBeNaN()
    expect(withGap[2]).toBe(Infinity)
    expect(withGap[3]).toBe(without[1])
  })

  it('returns the values themselves for weight zero', () => {
    const values = Float64Array.of(1, 2)

    expect(smooth(values, 0)).toBe(values)
  })
})
