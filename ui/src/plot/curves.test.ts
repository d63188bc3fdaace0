import { describe, expect, it } from 'vitest'
import type { Curve } from './curve'
import {
  axisFor,
  isOrdered,
  lowerBound,
  nearestPoint,
  placeBeside,
  positions,
  reachOf,
  smoothedValues,
  sortedBy,
  stepRange,
  type Line,
} from './curves'

function curveOf(steps: number[], walls: number[], part: Partial<Curve> = {}): Curve {
  return {
    run: 'a',
    tag: 'loss',
    source: '',
    totalPoints: steps.length,
    superseded: 0,
    hasSteps: true,
    downsampled: false,
    steps: Float64Array.from(steps),
    walls: Float64Array.from(walls),
    values: Float64Array.from(steps),
    smoothed: null,
    starts: [0],
    startTime: walls[0] ?? 0,
    ...part,
  }
}

function lineOf(xs: number[]): Line {
  const curve = curveOf(xs, xs)
  return {
    key: '',
    name: '',
    curve,
    colour: '',
    dash: [],
    side: 'left',
    breaks: [],
    xs: curve.steps,
    ys: curve.values,
    isSmoothed: false,
    isOrdered: isOrdered(curve.steps),
  }
}

describe('positions', () => {
  it('are steps, seconds since the start, or times', () => {
    const curve = curveOf([1, 2], [100, 160])

    expect([...positions(curve, 'step')]).toEqual([1, 2])
    expect([...positions(curve, 'relative')]).toEqual([0, 60])
    expect([...positions(curve, 'absolute')]).toEqual([100, 160])
  })

  it('of a part still count from the start of the whole curve', () => {
    expect([...positions(curveOf([5], [160], { startTime: 100 }), 'relative')]).toEqual([60])
  })
})

describe('placeBeside', () => {
  it('goes from place to place in both directions, whichever way the curve runs', () => {
    for (const xs of [
      [0, 1, 1, 4, 9],
      [9, 4, 1, 1, 0],
      [4, 0, 9, 1, 1],
    ]) {
      const line = lineOf(xs)

      expect([-1, 0, 0.5, 1, 4, 9].map((x) => placeBeside(line, x, 1))).toEqual([0, 1, 1, 4, 9, undefined])
      expect([0, 0.5, 1, 4, 9, 10].map((x) => placeBeside(line, x, -1))).toEqual([undefined, 0, 0, 1, 4, 9])
      expect([placeBeside(line, 0, 3), placeBeside(line, 9, -4), placeBeside(line, 0, 10)]).toEqual([
        4,
        0,
        undefined,
      ])
    }
  })
})

describe('reachOf', () => {
  it('is from the smallest to the largest place', () => {
    expect([reachOf(lineOf([1, 2, 8])), reachOf(lineOf([8, -2, 1]))]).toEqual([
      [1, 8],
      [-2, 8],
    ])
  })
})

describe('nearestPoint', () => {
  it('agrees with looking at every point', () => {
    const xs = [0, 1, 4, 9, 9, 30]

    for (let x = -3; x < 35; x += 0.7) {
      const found = xs[nearestPoint(lineOf(xs), x)]!
      const best = Math.min(...xs.map((other) => Math.abs(other - x)))
      expect(Math.abs(found - x)).toBeCloseTo(best, 12)
    }
  })

  it('finds points of curves that go back', () => expect(nearestPoint(lineOf([0, 5, 3, 8]), 3.1)).toBe(2))
  it('is -1 without points', () => expect(nearestPoint(lineOf([]), 3)).toBe(-1))
})

describe('lowerBound', () => {
  it('is the first position not below', () => {
    expect([0, 1, 2, 3, 9].map((x) => lowerBound(Float64Array.of(1, 1, 3), x))).toEqual([0, 0, 2, 2, 3])
  })
})

describe('stepRange', () => {
  it('covers a part of a time axis and one point beyond', () => {
    const curve = curveOf([0, 10, 20, 30, 40], [0, 1, 2, 3, 4])

    expect(stepRange([curve], 'absolute', 1.5, 2.5)).toEqual([10, 30])
  })

  it('covers the steps that are seen', () => {
    const [from, to] = stepRange([], 'step', 100, 200)!

    expect(from).toBeLessThanOrEqual(100)
    expect(to).toBeGreaterThanOrEqual(200)
  })

  it('is null where no curve is', () => expect(stepRange([], 'absolute', 0, 1)).toBeNull())
})

describe('smoothedValues', () => {
  it('computes here only what is complete', () => {
    const theirs = Float64Array.of(7, 7)

    expect([...smoothedValues(curveOf([2, 2], [0, 1]), 0.5, true)!]).toEqual([2, 2])
    expect(smoothedValues(curveOf([2, 2], [0, 1], { downsampled: true, smoothed: theirs }), 0.5, true)).toBe(
      theirs,
    )
    expect(smoothedValues(curveOf([2, 2], [0, 1], { smoothed: theirs }), 0.5, false)).toBe(theirs)
    expect(smoothedValues(curveOf([2, 2], [0, 1]), 0, true)).toBeNull()
  })
})

describe('late points', () => {
  it('come in the order of time where time is the axis', () => {
    const curve = curveOf([0, 7, 8], [100, 300, 200], { values: Float64Array.from([1, 2, 3]), superseded: 1 })

    const {
      xs,
      curve: sorted,
      smoothed,
    } = sortedBy(positions(curve, 'relative'), curve, Float64Array.from([4, 5, 6]))

    expect([...xs]).toEqual([0, 100, 200])
    expect([...sorted.steps]).toEqual([0, 8, 7])
    expect([...sorted.values]).toEqual([1, 3, 2])
    expect([...smoothed!]).toEqual([4, 6, 5])
    expect(sorted.superseded).toBe(1)
  })

  it('are not touched where they rise already', () => {
    const curve = curveOf([0, 1], [5, 6])
    expect(sortedBy(curve.walls, curve, null).curve).toBe(curve)
  })
})

it('is drawn over time when nothing has steps', () => {
  const [without, having] = [curveOf([0, 0], [5, 6], { hasSteps: false }), curveOf([0, 1], [5, 6])]

  expect(axisFor([without], 'step')).toBe('relative')
  expect(axisFor([without], 'absolute')).toBe('absolute')
  expect(axisFor([without, having], 'step')).toBe('step')
  expect(axisFor([], 'step')).toBe('step')
})
