import { describe, expect, it } from 'vitest'
import type { ChartColours } from '@/base/theme'
import { SvgPen } from '@/plot/pen'
import { nextKept } from './axisPointer'
import { axisOf, type Column } from './axisTable'
import {
  axisAt,
  drawParallel,
  layOutParallel,
  parallelParts,
  parallelRowAt,
  partAt,
  reordered,
  type ParallelPlot,
} from './parallel'
import { colouring, rampColour } from './rowColours'
import { drawScatter, layOutScatter, scatterParts, scatterRowAt, spotAt, type ScatterPlot } from './scatter'

const COLOURS: ChartColours = {
  surface: '#fff',
  text: '#000',
  grid: '#eee',
  axis: '#999',
  danger: 'red',
  accent: 'blue',
  series: ['#111', '#222'],
  font: 'sans',
}
const measure = { font: '', measureText: (text: string) => ({ width: text.length * 6 }) as TextMetrics }

const table: readonly Column[] = [
  { key: 'lr', label: 'lr', values: [0, 5, 10] },
  { key: 'opt', label: 'opt', values: ['a', 'b', 'a'] },
  { key: 'loss', label: 'loss', values: [1, null, 3] },
]

function parallel(keptRows: readonly number[] = [1, 1, 1]): ParallelPlot {
  const axes = table.map((column) => axisOf(column))
  return {
    axes,
    parts: parallelParts(axes),
    rows: 3,
    colours: ['#111', '#222', '#333'],
    kept: Uint8Array.from(keptRows),
    brushes: new Map(),
    ticked: new Set(),
  }
}

describe('parallel axes', () => {
  const layout = layOutParallel(3, 600, 300)

  it('stand at equal distances', () => {
    expect(layout.xs[1]! - layout.xs[0]!).toBe(layout.xs[2]! - layout.xs[1]!)
    expect(axisAt(layout, layout.xs[1]! + 5)).toBe(1)
    expect(axisAt(layout, layout.xs[1]! + 40)).toBe(-1)
    expect(partAt(layout, layout.bottom)).toBe(0)
    expect(partAt(layout, layout.top)).toBe(1)
  })

  it('find the line under a point', () => {
    expect(parallelRowAt(parallel(), layout, layout.xs[0]! + 1, layout.top + 1)).toBe(2)
    expect(parallelRowAt(parallel(), layout, layout.xs[0]! + 1, layout.bottom - 1)).toBe(0)
    expect(parallelRowAt(parallel([0, 1, 1]), layout, layout.xs[0]! + 1, layout.bottom - 1)).toBeNull()
  })

  it('leave a gap for a missing value', () => {
    const pen = new SvgPen(600, 300, measure)
    drawParallel(pen, parallel([0, 1, 0]), layout, COLOURS)

    const line = /<path d="([^"]+)" fill="none" stroke="#222"/.exec(pen.toString())![1]!
    expect(line.match(/M/g)).toHaveLength(1)
    expect(line.match(/L/g)).toHaveLength(1)
  })

  it('move to where they are dropped', () => {
    expect(reordered(['a', 'b', 'c'], 0, layout, 600)).toEqual(['b', 'c', 'a'])
    expect(reordered(['a', 'b', 'c'], 2, layout, 0)).toEqual(['c', 'a', 'b'])
    expect(reordered(['a', 'b', 'c'], 1, layout, layout.xs[1]!)).toEqual(['a', 'b', 'c'])
  })
})

describe('scatter plots', () => {
  const [across, down] = [[axisOf(table[0]!), axisOf(table[1]!)], [axisOf(table[2]!)]]
  const plot: ScatterPlot = {
    across,
    down,
    acrossParts: scatterParts(across),
    downParts: scatterParts(down),
    rows: 3,
    colours: ['#111', '#222', '#333'],
    kept: new Uint8Array(3).fill(1),
    brushes: new Map(),
    ticked: new Set(),
  }
  const layout = layOutScatter(2, 1, 500, 240)

  it('never get too small to read', () => {
    expect(layOutScatter(20, 10, 500, 240)).toMatchObject({ cellWidth: 150, cellHeight: 120 })
  })

  it('find the plot and the row under a point', () => {
    const left = spotAt(plot, layout, layout.left + 8, layout.top + 20)!
    expect(left).toMatchObject({ column: 0, row: 0 })
    expect(left.across).toBeCloseTo(0)
    expect(spotAt(plot, layout, 5, 5)).toBeNull()
    const bottom = layout.top + layout.cellHeight - 12 - 8
    expect(scatterRowAt(plot, layout, layout.left + 9, bottom)).toBe(0)
    expect(scatterRowAt(plot, layout, layout.left + 60, layout.top + 50)).toBeNull()
  })

  it('draw each row once in each plot where it has both values', () => {
    const pen = new SvgPen(500, 240, measure)
    drawScatter(pen, plot, layout, { x: 0, y: 0, width: 500, height: 240 }, COLOURS)

    expect(pen.toString().match(/fill="#111"/g)).toHaveLength(2)
    expect(pen.toString().match(/fill="#222"/g)).toBeNull()
  })
})

describe('colours of rows', () => {
  const colours = { series: ['#a', '#b'], plain: '#p', missing: '#m' }

  it('go from one end of the ramp to the other', () => {
    const { of, names } = colouring({ key: '', label: '', values: [0, 10, null] }, 3, 'linear', colours)

    expect(of).toEqual([rampColour(0), rampColour(1), '#m'])
    expect(names).toEqual([])
  })

  it('tell names apart', () => {
    expect(colouring({ key: '', label: '', values: ['x', 'y', 'x'] }, 3, 'linear', colours)).toEqual({
      of: ['#a', '#b', '#a'],
      names: [
        { name: 'x', colour: '#a' },
        { name: 'y', colour: '#b' },
      ],
    })
    expect(colouring(null, 2, 'linear', colours).of).toEqual(['#p', '#p'])
  })
})

it('goes from kept row to kept row', () => {
  const kept = Uint8Array.from([0, 1, 0, 1])

  expect(nextKept(kept, null, 1)).toBe(1)
  expect(nextKept(kept, 1, 1)).toBe(3)
  expect(nextKept(kept, 3, 1)).toBe(1)
  expect(nextKept(kept, null, -1)).toBe(3)
  expect(nextKept(new Uint8Array(2), 0, 1)).toBeNull()
})
