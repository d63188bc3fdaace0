import { describe, expect, it } from 'vitest'
import type { ChartColours } from '@/base/theme'
import { SvgPen } from '@/plot/pen'
import { histogram } from './histogramSamples'
import { drawHistograms } from './ridgeDrawing'
import { meantArea, readRows, rowAt, zoomedWithin, zoomOf } from './ridgeReading'
import {
  heightAt,
  layOutHistograms,
  placePixel,
  valuePixel,
  type HistogramLayout,
  type HistogramPlot,
  type Look,
  type Row,
} from './ridges'

const measure = { font: '', measureText: (text: string) => ({ width: text.length * 6 }) as TextMetrics }
const COLOURS: ChartColours = {
  surface: '#fff',
  text: '#333',
  grid: '#eee',
  axis: '#999',
  danger: '#f00',
  accent: '#00f',
  series: ['#123456'],
  font: 'sans',
}

const row = (key: string, at: number, edges: readonly number[], counts: readonly number[], nan = 0): Row => ({
  key,
  name: key,
  colour: '#123456',
  dash: [],
  histogram: histogram(edges, counts, { step: at, nan }),
  at,
  relative: at,
  age: 1,
})
const plotOf = (look: Look, rows: readonly Row[], more: Partial<HistogramPlot> = {}): HistogramPlot => ({
  look,
  axis: 'step',
  rows,
  axisLabel: 'Step',
  valueLabel: 'Value',
  countLabel: 'Count',
  values: null,
  isLog: false,
  ...more,
})
const layOut = (plot: HistogramPlot): HistogramLayout => layOutHistograms(plot, 600, 300, measure, 'sans')

const ROWS = [
  row('a', 0, [0, 1, 2], [10, 0]),
  row('b', 40, [0, 1, 2], [5, 5]),
  row('a', 100, [0, 1, 2], [0, 10]),
]

describe('ridges', () => {
  it('stand behind each other in proportion to their steps, the last one on the axis', () => {
    const { ridges, y, height } = layOut(plotOf('offset', ROWS))
    const [first, second, last] = ridges.map(({ baseline }) => baseline) as [number, number, number]

    expect(last).toBe(y + height)
    expect((second - first) / (last - first)).toBeCloseTo(0.4)
    expect(first - Math.max(...ridges[0]!.heights)).toBeGreaterThanOrEqual(y - 1e-9)
  })

  it('share one scale of counts, so that areas compare', () => {
    const { ridges } = layOut(plotOf('offset', ROWS))
    const area = (heights: Float64Array): number => heights.reduce((sum, height) => sum + height, 0)

    expect(area(ridges[0]!.heights)).toBeCloseTo(area(ridges[1]!.heights), 6)
  })

  it('all stand on the axis in the overlay', () => {
    const { ridges, y, height, countTicks } = layOut(plotOf('overlay', ROWS))

    expect(ridges.map(({ baseline }) => baseline)).toEqual([y + height, y + height, y + height])
    expect(countTicks.values[0]).toBe(0)
  })

  it('are found under the pointer, the front one first', () => {
    const plot = plotOf('offset', ROWS)
    const layout = layOut(plot)
    const x = valuePixel(plot, layout, 1.5)
    const top = layout.ridges[2]!.baseline - heightAt(layout, layout.ridges[2]!, x)

    expect(rowAt(plot, layout, x, top + 3)).toBe(ROWS[2])
    expect(rowAt(plot, layout, valuePixel(plot, layout, 0.5), layout.ridges[0]!.baseline - 20)).toBe(ROWS[0])
  })

  it.each(['offset', 'overlay', 'bands'] as const)(
    'draw what is odd: one value, one step, nothing finite (%s)',
    (look) => {
      for (const rows of [[row('a', 3, [2, 2], [7])], [row('a', 3, [], [], 9)], []]) {
        const plot = plotOf(look, rows)
        const pen = new SvgPen(600, 300, measure)
        drawHistograms(pen, plot, layOut(plot), COLOURS)

        expect(pen.toString()).not.toContain('NaN')
      }
    },
  )
})

describe('reading', () => {
  it('takes the bucket of the chosen row and of the nearest rows of others', () => {
    const readings = readRows(plotOf('offset', ROWS), ROWS[2]!, 1.5)

    expect(readings.map(({ row: { key, at }, bucket, isChosen }) => [key, at, bucket, isChosen])).toEqual([
      ['a', 100, 1, true],
      ['b', 40, 1, false],
    ])
  })

  it('takes the nearest step in bands', () => {
    const plot = plotOf('bands', ROWS)
    const layout = layOut(plot)

    expect(rowAt(plot, layout, placePixel(layout, 45), 50)).toBe(ROWS[1])
    expect(rowAt(plot, layout, placePixel(layout, 90), 50)).toBe(ROWS[2])
  })
})

describe('a part of the values', () => {
  it('fills the chart, and what lies outside is not piled up at its edges', () => {
    const plot = plotOf('overlay', [row('a', 0, [0, 1, 2, 3], [100, 4, 100])], { values: [1, 2] })
    const layout = layOut(plot)

    expect([layout.values.lo, layout.values.hi]).toEqual([1, 2])
    expect(Math.max(...layout.ridges[0]!.heights)).toBeCloseTo(Math.min(...layout.ridges[0]!.heights), 6)
  })
})

describe('logarithmic counts', () => {
  it('make few values beside many visible, and keep none at none', () => {
    const rows = [row('a', 0, [0, 1, 2, 3], [100_000, 0, 1])]
    const share = (isLog: boolean): readonly number[] => {
      const { ridges, height } = layOut(plotOf('overlay', rows, { isLog }))
      return [
        ridges[0]!.heights.at(-3)! / height,
        ridges[0]!.heights[Math.floor(ridges[0]!.heights.length / 2)]!,
      ]
    }

    expect(share(false)[0]).toBeLessThan(0.001)
    expect(share(true)[0]).toBeGreaterThan(0.001)
    expect(share(true)[1]).toBe(0)
  })

  it('have ticks at zero and powers of ten', () => {
    const { countTicks } = layOut(plotOf('overlay', [row('a', 0, [0, 1], [100_000])], { isLog: true }))

    expect(countTicks.labels[0]).toBe('0')
    expect(countTicks.values.slice(1).every((value) => Number.isInteger(Math.log10(value)))).toBe(true)
  })
})

describe('dragging', () => {
  const area = (x0: number, y0: number, x1: number, y1: number) => ({ x0, y0, x1, y1 })
  const dragged = (look: Look, drag: (layout: HistogramLayout) => ReturnType<typeof area>) => {
    const plot = plotOf(look, ROWS)
    const layout = layOut(plot)
    return zoomOf(plot, layout, meantArea(plot, layout, drag(layout)))
  }

  it('along the values zooms into these, whatever the steps', () => {
    const zoom = dragged('offset', ({ x, width, y }) => area(x, y + 50, x + width / 2, y + 53))

    expect(zoom?.steps).toBeNull()
    expect(zoom?.values?.[1]).toBeCloseTo(1)
  })

  it('over a box takes the steps whose baselines are in it', () => {
    const zoom = dragged('offset', ({ x, ridges }) =>
      area(x, ridges[1]!.baseline - 5, x + 90, ridges[2]!.baseline + 1),
    )

    expect(zoom?.steps).toEqual([40, 100])
    expect(zoom?.values).not.toBeNull()
  })

  it('down, along the steps of ridges, leaves the values', () => {
    expect(
      dragged('offset', ({ x, ridges }) => area(x, ridges[0]!.baseline - 5, x + 4, ridges[1]!.baseline + 5)),
    ).toEqual({ steps: [0, 40], values: null })
  })

  it('in bands has the steps along x', () => {
    expect(
      dragged('bands', (layout) => area(placePixel(layout, 30), 50, placePixel(layout, 101), 54)),
    ).toEqual({ steps: [40, 100], values: null })
  })

  it('where there is nothing zooms into nothing', () => {
    expect(
      dragged('bands', (layout) => area(placePixel(layout, 50), 50, placePixel(layout, 90), 54)),
    ).toBeNull()
  })

  it('in a zoomed chart keeps the rest of the zoom', () => {
    expect(zoomedWithin({ steps: [1, 2], values: null }, { steps: null, values: [0, 1] })).toEqual({
      steps: [1, 2],
      values: [0, 1],
    })
  })
})
