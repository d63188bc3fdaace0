import { describe, expect, it } from 'vitest'
import { contourLines, lengthOf, middleOf, traceAbove, type Grid } from './contours'

function grid(size: number, loss: (x: number, y: number) => number): Grid {
  const axis = Array.from({ length: size }, (_, i) => (2 * i) / (size - 1) - 1)
  return { x: axis, y: axis, z: axis.flatMap((y) => axis.map((x) => loss(x, y))) }
}

/** The area that a path encloses. */
function areaAbove(given: Grid, level: number): number {
  let [area, polygon] = [0, [] as [number, number][]]
  traceAbove(
    {
      moveTo: (x: number, y: number) => (polygon = [[x, y]]),
      lineTo: (x: number, y: number) => polygon.push([x, y]),
      closePath: () =>
        polygon.forEach(([x, y], i) => {
          const [nx, ny] = polygon[(i + 1) % polygon.length]!
          area += (x * ny - nx * y) / 2
        }),
    },
    given,
    level,
  )
  return area
}

describe('lines along a level', () => {
  it('of a bowl are closed circles', () => {
    const lines = contourLines(
      grid(41, (x, y) => x * x + y * y),
      0.25,
    )
    expect(lines).toHaveLength(1)
    expect(lengthOf(lines[0]!)).toBeCloseTo(Math.PI, 1)
    expect(lines[0]!.slice(0, 2)).toEqual(lines[0]!.slice(-2))
    for (let i = 0; i < lines[0]!.length; i += 2)
      expect(Math.hypot(lines[0]![i]!, lines[0]![i + 1]!)).toBeCloseTo(0.5, 2)
  })

  it('of a slope go from border to border in one piece', () => {
    const lines = contourLines(
      grid(9, (x) => x),
      0.1,
    )
    expect(lines).toHaveLength(1)
    expect(lengthOf(lines[0]!)).toBeCloseTo(2)
  })

  it('of two valleys are two', () => {
    expect(
      contourLines(
        grid(41, (x, y) => (x * x - 0.36) ** 2 + y * y),
        0.05,
      ),
    ).toHaveLength(2)
  })

  it('leave out what is no number, and are none beyond the values', () => {
    expect(
      contourLines(
        grid(5, () => NaN),
        0,
      ),
    ).toEqual([])
    expect(
      contourLines(
        grid(5, (x) => x),
        7,
      ),
    ).toEqual([])
    const holed = grid(9, (x, y) => (Math.hypot(x, y) < 0.3 ? NaN : x))
    expect(contourLines(holed, 0.01)).toHaveLength(2)
  })
})

describe('the area above a level', () => {
  it('is as large as it should be', () => {
    expect(
      areaAbove(
        grid(9, (x) => x),
        0,
      ),
    ).toBeCloseTo(2)
    expect(
      areaAbove(
        grid(9, (x) => x),
        0.25,
      ),
    ).toBeCloseTo(1.5)
    expect(
      areaAbove(
        grid(81, (x, y) => -x * x - y * y),
        -0.25,
      ),
    ).toBeCloseTo(Math.PI / 4, 2)
    expect(
      areaAbove(
        grid(9, (x) => x),
        -1,
      ),
    ).toBeCloseTo(4)
    expect(
      areaAbove(
        grid(9, () => NaN),
        -1,
      ),
    ).toBe(0)
  })
})

describe('the middle of a line', () => {
  it('lies on it and never makes text stand on its head', () => {
    expect(middleOf([0, 0, 10, 0])).toEqual({ x: 5, y: 0, angle: 0 })
    expect(middleOf([10, 0, 0, 0])).toMatchObject({ x: 5, angle: 0 })
    expect(Math.abs(middleOf([10, 0, 0, 3, -10, 8]).angle)).toBeLessThanOrEqual(Math.PI / 2)
  })
})
