import { describe, expect, it } from 'vitest'
import type { Line } from './curves'
import { fraction, padded, valueAt, withoutOutliers, yExtent } from './scale'

function lineOf(values: number[], part: Partial<Line> = {}): Line {
  const ys = Float64Array.from(values)
  const xs = Float64Array.from(values, (_, i) => i)
  const curve = {
    run: 'a',
    tag: 't',
    source: '',
    totalPoints: ys.length,
    superseded: 0,
    hasSteps: true,
    downsampled: false,
    steps: xs,
    walls: xs,
    values: ys,
    smoothed: null,
    starts: [0],
    startTime: 0,
  }
  return {
    key: 'k',
    name: 'n',
    curve,
    colour: '#000',
    dash: [],
    side: 'left',
    breaks: [],
    xs,
    ys,
    isSmoothed: false,
    isOrdered: true,
    ...part,
  }
}

const ALL = [-Infinity, Infinity] as const

describe('fraction and valueAt', () => {
  it.each([true, false])('undo each other (log: %s)', (isLog) => {
    const scale = { lo: 0.01, hi: 100, isLog }

    for (const value of [0.01, 0.5, 3, 100])
      expect(valueAt(scale, fraction(scale, value))).toBeCloseTo(value, 9)
  })

  it('cannot place zero or less on a logarithmic axis', () =>
    expect(fraction({ lo: 1, hi: 10, isLog: true }, 0)).toBeNaN())
})

describe('yExtent', () => {
  it('leaves out what is not finite', () => {
    const extent = yExtent([lineOf([1, NaN, Infinity, 3])], {
      side: 'left',
      within: ALL,
      isLog: false,
      ignoreOutliers: false,
    })

    expect(extent).toEqual([1, 3])
  })

  it('looks only at the visible part and the asked side', () => {
    const lines = [lineOf([9, 1, 2, 9]), lineOf([100, 100, 100, 100], { side: 'right' })]

    expect(yExtent(lines, { side: 'left', within: [1, 2], isLog: false, ignoreOutliers: false })).toEqual([
      1, 2,
    ])
  })

  it('is null when nothing can be drawn', () => {
    expect(
      yExtent([lineOf([-1, 0])], { side: 'left', within: ALL, isLog: true, ignoreOutliers: false }),
    ).toBeNull()
  })

  it('keeps an outlier out when asked to', () => {
    const values = Array.from({ length: 100 }, (_, i) => (i === 50 ? 1e6 : i / 100))

    const extent = yExtent([lineOf(values)], {
      side: 'left',
      within: ALL,
      isLog: false,
      ignoreOutliers: true,
    })

    expect(extent![1]).toBeLessThan(2)
  })
})

describe('withoutOutliers', () => {
  it('changes nothing where there are none', () => {
    const even = Float64Array.from({ length: 50 }, (_, i) => i)

    expect(withoutOutliers(even, [0, 49])).toEqual([0, 49])
  })
})

describe('padded', () => {
  it('makes room for a single value', () => {
    const scale = padded([5, 5], false)

    expect(scale.lo).toBeLessThan(5)
    expect(scale.hi).toBeGreaterThan(5)
    expect(padded([0, 0], false)).toEqual({ lo: -1, hi: 1, isLog: false })
  })

  it('does not start a positive axis below zero', () => expect(padded([0.01, 10], false).lo).toBe(0))
})
