import { describe, expect, it } from 'vitest'
import type { ChartColours } from '@/base/theme'
import type { Line } from './curves'
import { choose, pointsIn, readAt } from './hover'
import { countBeyond } from './limits'
import { fit } from './picture'
import { SvgPen } from './pen'
import { drawPlot, layOut, xPixel, xValue, yPixel, yValue, type Plot } from './plot'

const measure = { font: '', measureText: (text: string) => ({ width: text.length * 6 }) as TextMetrics }
const COLOURS: ChartColours = {
  surface: '#fff',
  text: '#555',
  grid: '#eee',
  axis: '#bbb',
  danger: '#f00',
  accent: '#00f',
  series: [],
  font: 'sans-serif',
}

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
    colour: '#123456',
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

const plotOf = (lines: readonly Line[], part: Partial<Plot> = {}): Plot => ({
  lines,
  axis: 'step',
  box: null,
  isLog: false,
  ignoreOutliers: false,
  limits: { lower: null, upper: null },
  xLabel: 'Step',
  ...part,
})

function drawn(plot: Plot, width = 400): string {
  const pen = new SvgPen(width, 200, measure)
  drawPlot(pen, plot, layOut(plot, width, 200, pen, 'sans-serif'), COLOURS)
  return pen.toString()
}

/** Highest and lowest pixel and number of points of the paths in the colour. */
function paths(
  svg: string,
  colour: string,
): { count: number; moves: number; points: number; top: number; bottom: number } {
  const found = [...svg.matchAll(new RegExp(`<path d="([^"]*)" fill="none" stroke="${colour}"`, 'g'))].map(
    (match) => match[1]!,
  )
  const ys = found.flatMap((path) =>
    [...path.matchAll(/[ML]\S+ (\S+?)(?=[MLZ]|$)/g)].map((match) => Number(match[1])),
  )
  return {
    count: found.length,
    moves: found.join('').split('M').length - 1,
    points: ys.length,
    top: Math.min(...ys),
    bottom: Math.max(...ys),
  }
}

describe('layout', () => {
  it('turns pixels into values and back', () => {
    const layout = layOut(plotOf([lineOf([0, 5, 10])]), 400, 200, measure, 'sans-serif')

    expect(xValue(layout, xPixel(layout, 1.5))).toBeCloseTo(1.5, 9)
    expect(yValue(layout, 'left', yPixel(layout, 'left', 7))).toBeCloseTo(7, 9)
  })

  it('has a logarithmic horizontal axis of what is above zero', () => {
    const layout = layOut(
      plotOf([lineOf([1, 2, 3, 4], { xs: Float64Array.from([0, 1, 10, 1000]) })], { isLogX: true }),
      400,
      200,
      measure,
      'sans-serif',
    )

    expect(layout.xTicks.values).toEqual(expect.arrayContaining([1, 10, 100, 1000]))
    expect(xPixel(layout, 10) - xPixel(layout, 1)).toBeCloseTo(xPixel(layout, 1000) - xPixel(layout, 100), 6)
    expect(xValue(layout, xPixel(layout, 50))).toBeCloseTo(50, 9)
  })

  it('shares its scales with the charts beside it', () => {
    const [small, large] = [lineOf([0, 1]), lineOf([0, 100, 50])]
    const layout = layOut(plotOf([small], { together: [small, large] }), 400, 200, measure, 'sans-serif')

    expect(layout.left!.hi).toBeGreaterThan(100)
    expect(layout.xScale.hi).toBeGreaterThan(2)
  })

  it('gives a second axis room of its own', () => {
    const both = layOut(
      plotOf([lineOf([0, 1]), lineOf([0, 1e6], { side: 'right' })]),
      400,
      200,
      measure,
      'sans-serif',
    )

    expect(both.left!.hi).toBeLessThan(2)
    expect(both.right!.hi).toBeGreaterThan(1e5)
    expect(both.x + both.width).toBeLessThan(380)
  })

  it('shows exactly the box it is given', () => {
    const layout = layOut(
      plotOf([lineOf([0, 5, 10])], { box: { x: [0.5, 1.5], left: [2, 3], right: null } }),
      400,
      200,
      measure,
      'sans-serif',
    )

    expect([layout.xScale.lo, layout.xScale.hi, layout.left!.lo, layout.left!.hi]).toEqual([0.5, 1.5, 2, 3])
  })

  it('fits the values in view when a box has no vertical range', () => {
    const layout = layOut(
      plotOf([lineOf([0, 1, 2, 100])], { box: { x: [0, 2], left: null, right: null } }),
      400,
      200,
      measure,
      'sans-serif',
    )

    expect(layout.left!.hi).toBeLessThan(3)
  })
})

describe('drawPlot', () => {
  it('draws far fewer points than there are, and still the one spike', () => {
    const values = Array.from({ length: 50_000 }, (_, i) => (i === 31_234 ? 50 : (i % 2) * 0.5))
    const plot = plotOf([lineOf(values)])
    const layout = layOut(plot, 400, 200, measure, 'sans-serif')

    const path = paths(drawn(plot), '#123456')

    expect(path.points).toBeLessThan(4000)
    expect(path.top).toBeCloseTo(yPixel(layout, 'left', 50), 1)
    expect(path.bottom).toBeCloseTo(yPixel(layout, 'left', 0), 1)
  })

  it('does not join over gaps of values that are not numbers', () =>
    expect(paths(drawn(plotOf([lineOf([1, 2, NaN, 3, 4])])), '#123456').moves).toBeGreaterThan(1))

  it('does not join the pieces of a resumed run', () => {
    expect(paths(drawn(plotOf([lineOf([1, 2, 3, 4])])), '#123456').moves).toBe(1)
    expect(paths(drawn(plotOf([lineOf([1, 2, 3, 4], { breaks: [0, 2] })])), '#123456').moves).toBe(2)
  })

  it('marks a single point', () => expect(drawn(plotOf([lineOf([3])]))).toContain('fill="#123456"'))

  it('marks values that are not finite', () => {
    const svg = drawn(plotOf([lineOf([1, Infinity, -Infinity, NaN, 2])]))

    expect(svg.match(/Z" fill="#123456"/g)).toHaveLength(2)
    expect(svg.match(/Z" fill="none" stroke="#123456"/g)).toHaveLength(1)
  })

  it('draws what lies beyond a limit in the warning colour', () => {
    expect(drawn(plotOf([lineOf([1, 5])], { limits: { lower: null, upper: 3 } }))).toContain('stroke="#f00"')
    expect(drawn(plotOf([lineOf([1, 5])]))).not.toContain('#f00')
  })

  it('draws the values faintly behind smoothed ones', () => {
    const svg = drawn(plotOf([lineOf([1, 5, 1], { ys: Float64Array.of(1, 2, 2), isSmoothed: true })]))

    expect(paths(svg, '#123456').count).toBe(2)
    expect(svg).toMatch(/stroke="#123456"[^>]*opacity="0.28"/)
  })

  it('clips where it draws, also when the pen was moved', () => {
    const pen = new SvgPen(100, 100, measure)
    pen.translate(8, 34)
    pen.rect(0, 0, 10, 10)
    pen.clip()

    expect(pen.toString()).toContain(
      '<clipPath id="clip-1"><path d="M0 0h10v10h-10Z" transform="translate(8 34)"/></clipPath>',
    )
  })

  it('writes text that cannot break out of the SVG', () => {
    expect(drawn(plotOf([lineOf([1, 2])], { xLabel: '<script>&"' }))).toContain('&lt;script&gt;&amp;&quot;')
  })
})

describe('reading', () => {
  const lines = Array.from({ length: 30 }, (_, i) => lineOf([i, i, i], { key: String(i), name: String(i) }))
  const layout = layOut(plotOf(lines), 400, 200, measure, 'sans-serif')

  it('tells of the ten nearest curves, the largest first', () => {
    const { rows, more, nearest } = choose(readAt(lines, layout, 1), yPixel(layout, 'left', 20))

    expect(rows).toHaveLength(10)
    expect(more).toBe(20)
    expect(nearest!.shown).toBe(20)
    expect(rows.map(({ shown }) => shown)).toEqual([...rows.map(({ shown }) => shown)].sort((a, b) => b - a))
    expect(rows.every(({ shown }) => Math.abs(shown - 20) <= 5)).toBe(true)
  })

  it('knows where nothing is drawn', () => {
    const rising = [lineOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])]
    const frame = layOut(plotOf(rising), 400, 200, measure, 'sans-serif')
    const half = { y: frame.y, width: frame.width / 2, height: frame.height / 2 }

    expect(pointsIn(rising, frame, { ...half, x: frame.x })).toBe(0)
    expect(pointsIn(rising, frame, { ...half, x: frame.x + frame.width / 2 })).toBe(5)
  })

  it('leaves out curves that ended long before', () => {
    const long = lineOf(Array.from({ length: 100 }, () => 1))
    const both = [long, lineOf([1, 1])]

    expect(readAt(both, layOut(plotOf(both), 400, 200, measure, 'sans-serif'), 90)).toHaveLength(1)
  })

  it('leaves out curves that never reached a place of another scalar, also when that falls', () => {
    const falling = (xs: number[]): Line => lineOf(xs, { xs: Float64Array.from(xs), isOrdered: false })
    const both = [falling([10, 5, 0]), falling([10, 9, 8])]
    const layout = layOut(plotOf(both), 400, 200, measure, 'sans-serif')

    expect(readAt(both, layout, 2).map(({ line }) => line)).toEqual([both[0]])
    expect(readAt(both, layout, 8.4)).toHaveLength(2)
  })
})

describe('limits', () => {
  it('counts what is beyond and where it begins', () => {
    const { curve } = lineOf([0, 5, 1, -5, NaN, Infinity])

    expect(countBeyond([curve], { lower: -1, upper: 3 })).toEqual({
      count: 3,
      isAtLeast: false,
      firstStep: 1,
    })
    expect(countBeyond([{ ...curve, downsampled: true }], { lower: null, upper: 3 })).toMatchObject({
      count: 2,
      isAtLeast: true,
    })
    expect(countBeyond([curve], { lower: null, upper: null }).count).toBe(0)
  })
})

describe('fit', () => {
  it('shortens in the middle', () => {
    expect(fit(measure, 'abcdefghij', 60)).toBe('abcdefghij')
    expect(fit(measure, 'abcdefghijklmnop', 42)).toBe('abc…nop')
  })
})

describe('a band', () => {
  const filled = (svg: string): string[] =>
    [...svg.matchAll(/<path d="([^"]*Z)" fill="#abcdef"/g)].map((match) => match[1]!)

  it('is filled between its borders, which need not have points at the same places', () => {
    const upper = lineOf([3, 4, 5], { key: 'u', bound: { of: 'k', is: 'upper' } })
    const lower = lineOf([1, 2], { key: 'l', bound: { of: 'k', is: 'lower' }, xs: Float64Array.from([0, 2]) })
    const [path, ...others] = filled(
      drawn(plotOf([lineOf([2, 3, 4]), upper, lower], { bands: [{ lower, upper, colour: '#abcdef' }] })),
    )

    expect(others).toEqual([])
    expect(path!.match(/[ML]/g)).toHaveLength(5)
  })

  it('goes down to the bottom of a logarithmic axis where its lower border is not above zero', () => {
    const upper = lineOf([3, 4, 5], { key: 'u', bound: { of: 'k', is: 'upper' } })
    const lower = lineOf([1, -2, 3], { key: 'l', bound: { of: 'k', is: 'lower' } })
    const [path] = filled(
      drawn(
        plotOf([lineOf([2, 3, 4]), upper, lower], {
          isLog: true,
          bands: [{ lower, upper, colour: '#abcdef' }],
        }),
      ),
    )
    const ys = [...path!.matchAll(/[ML]\S+ (\S+?)(?=[MLZ]|$)/g)].map((match) => Number(match[1]))

    expect(ys).toHaveLength(6)
    expect(Math.max(...ys)).toBeGreaterThan(200)
  })

  it('does not make curves thinner: its borders are no curves', () => {
    const curves = Array.from({ length: 8 }, (_, i) => lineOf([i, i], { key: String(i) }))
    const borders = curves.flatMap(({ key, ys }) =>
      (['lower', 'upper'] as const).map((is) =>
        lineOf([...ys], { key: `${key} ${is}`, bound: { of: key, is } }),
      ),
    )

    expect(drawn(plotOf([...curves, ...borders]))).toContain('stroke-width="1.6"')
  })

  it('is read with the line it is around, not beside it', () => {
    const lines = [lineOf([2, 3, 4]), lineOf([3, 4, 5], { key: 'u', bound: { of: 'k', is: 'upper' } })]
    const layout = layOut(plotOf(lines), 400, 200, measure, 'sans-serif')
    const choice = choose(readAt(lines, layout, 1), null)

    expect(choice.rows.map(({ line }) => line.key)).toEqual(['k'])
    expect(choice.more).toBe(0)
  })

  it('without points draws nothing', () => {
    const empty = lineOf([NaN, NaN], { bound: { of: 'k', is: 'lower' } })
    expect(
      filled(
        drawn(
          plotOf([lineOf([1, 2])], { bands: [{ lower: empty, upper: lineOf([1, 2]), colour: '#abcdef' }] }),
        ),
      ),
    ).toEqual([])
  })
})
