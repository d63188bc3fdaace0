import { describe, expect, it } from 'vitest'
import type { ChartColours } from '@/base/theme'
import { SvgPen } from '@/plot/pen'
import { xPixel, yPixel } from '@/plot/plot'
import type { PrRocCurve } from './api'
import { drawPrRoc, layOutPrRoc, readPrRoc, thresholdNear, type PrRocPlot } from './prRocPlot'

const COLOURS: ChartColours = {
  surface: '#fff',
  text: '#000',
  grid: '#eee',
  axis: '#ccc',
  danger: '#f00',
  accent: '#00f',
  series: [],
  font: 'sans-serif',
}
const measure = {
  measureText: (text: string) => ({ width: text.length * 6 }) as TextMetrics,
} as CanvasRenderingContext2D
const column = (...values: number[]): Float64Array => Float64Array.from(values)

const answers = (xs: Float64Array, ys: Float64Array): PrRocCurve => ({
  thresholds: column(0, 0.5, 1),
  tp: xs,
  fp: xs,
  tn: xs,
  fn: xs,
  xs,
  ys,
})
const line = (key: string, of: PrRocCurve) => ({
  key,
  name: key,
  colour: key === 'a' ? '#123456' : '#654321',
  dash: [],
  answers: of,
})
const plot = (kind: PrRocPlot['kind']): PrRocPlot => ({
  kind,
  box: null,
  xLabel: 'Recall',
  yLabel: 'Precision',
  lines: [
    line('a', answers(column(1, 0.5, 0), column(0.2, 0.6, NaN))),
    line('b', answers(column(1, 0.8, 0.1), column(0.1, 0.9, 1))),
  ],
})

function drawn(kind: PrRocPlot['kind']): string {
  const pen = new SvgPen(400, 300, measure)
  drawPrRoc(pen, plot(kind), layOutPrRoc(plot(kind), 400, 300, pen, 'sans-serif'), COLOURS)
  return pen.toString()
}

describe('a chart of curves', () => {
  it('shows the whole unit square with both ends labelled', () => {
    const { xScale, left, xTicks, leftTicks } = layOutPrRoc(
      plot('pr_curves'),
      400,
      300,
      measure,
      'sans-serif',
    )
    expect(xScale.lo).toBeLessThan(0)
    expect(left!.hi).toBeGreaterThan(1)
    expect(xTicks.values).toContain(0)
    expect(leftTicks.values).toContain(1)
  })

  it('draws every curve, and the diagonal of guessing for ROC only', () => {
    expect(drawn('pr_curves')).toContain('#123456')
    expect(drawn('pr_curves')).toContain('Precision')
    expect(drawn('roc_curves').match(/stroke-dasharray/g) ?? []).toHaveLength(
      (drawn('pr_curves').match(/stroke-dasharray/g) ?? []).length + 1,
    )
  })

  it('reads the threshold of the nearest point, in every curve', () => {
    const layout = layOutPrRoc(plot('pr_curves'), 400, 300, measure, 'sans-serif')
    const near = thresholdNear(plot('pr_curves'), layout, xPixel(layout, 0.78), yPixel(layout, 'left', 0.93))
    expect(near).toBe(0.5)
    expect(readPrRoc(plot('pr_curves'), layout, near!).map(({ point }) => point)).toEqual([1, 1])
    // A point that is not drawn is never the nearest.
    expect(
      thresholdNear(
        { ...plot('pr_curves'), lines: [line('a', answers(column(NaN), column(1)))] },
        layout,
        0,
        0,
      ),
    ).toBe(null)
  })
})
