import { describe, expect, it } from 'vitest'
import type { ChartColours } from '@/base/theme'
import { SvgPen } from '@/plot/pen'
import {
  drawStatistics,
  layOutStatistics,
  nearestStep,
  stepPixel,
  type StatisticsLine,
} from './statisticsPlot'

const COLOURS: ChartColours = {
  surface: '#fff',
  text: '#000',
  grid: '#eee',
  axis: '#999',
  danger: 'red',
  accent: 'blue',
  series: ['#111'],
  font: 'sans',
}
const measure = { font: '', measureText: (text: string) => ({ width: text.length * 6 }) as TextMetrics }
const point = (step: number, mean: number) => ({
  step,
  statistics: { min: mean - 2, max: mean + 2, mean, std: 1, sum: 0, nan: 0, posInf: 0, negInf: 0 },
})
const lines: readonly StatisticsLine[] = [
  { name: 'a', colour: '#123', dash: [], points: [point(0, 0), point(10, 1), point(20, 4)] },
]

describe('statistics over steps', () => {
  const layout = layOutStatistics(lines, 400, 200, measure, 'sans')!

  it('reach from the first to the last step and from the least to the largest number', () => {
    expect(layout.steps).toMatchObject({ lo: 0, hi: 20 })
    expect(layout.values.lo).toBeLessThan(-2)
    expect(layout.values.hi).toBeGreaterThan(6)
    expect(layOutStatistics([], 400, 200, measure, 'sans')).toBeNull()
  })

  it('find the step under the pointer', () => {
    expect(nearestStep(lines, layout, stepPixel(layout, 9))).toBe(10)
    expect(nearestStep([], layout, 5)).toBeNull()
  })

  it('draw two bands, a line, and where the card stands', () => {
    const pen = new SvgPen(400, 200, measure)
    drawStatistics(pen, lines, layout, 10, COLOURS)

    expect(pen.toString().match(/fill="#123" opacity/g)).toHaveLength(2)
    expect(pen.toString().match(/stroke="#123"/g)).toHaveLength(1)
    expect(pen.toString()).toContain('stroke="blue"')
  })
})
