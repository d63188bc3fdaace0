import { describe, expect, it } from 'vitest'
import type { ChartColours } from '@/base/theme'
import { landscapeOf, type Landscape } from './api'
import { SvgPen } from '@/plot/pen'
import {
  drawContour,
  layOutContour,
  placeOf,
  readContour,
  xPixel,
  yPixel,
  type ContourPlot,
} from './contourPlot'
import { joinRenamed } from '@/board/tags/renamedTags'
import { nameOf } from './landscapeTags'
import { landscapeCsv } from './landscapeTable'
import { landscapeView, type LandscapeView } from './landscapeView'
import { extentOf, heights, intervalText, lossAt, lossRange, lossScale } from './terrain'

const json = {
  x: [0, 1, 2],
  y: [0, 10],
  z: [
    [1, 2, 3],
    [2, 4, 8],
  ],
  decomposition: 'PCA',
  unit: 'step',
  step_per_epoch: 4,
  path: { intervals: [2, 8], x: [0.5, 2], y: [5, 10], z: [2.5, 8] },
  convergence: { x: 2, y: 10, z: 8 },
}
const landscape = landscapeOf(json)!
const COLOURS: ChartColours = {
  surface: '#fff',
  text: '#000',
  grid: '#eee',
  axis: '#999',
  danger: '#c00',
  accent: '#00c',
  series: ['#123456'],
  font: 'sans',
}
const plot: ContourPlot = {
  layers: [{ key: 'a', name: 'a', colour: '#123456', landscape }],
  range: [1, 8],
  isLog: false,
  hasPath: true,
  lossLabel: 'Loss',
}
const measure = { font: '', measureText: (text: string) => ({ width: 6 * text.length }) as TextMetrics }

describe('a landscape', () => {
  it('has ascending axes, whatever the writer did', () => {
    const turned = landscapeOf({
      ...json,
      x: [2, 1, 0],
      z: [
        [3, 2, 1],
        [8, 4, 2],
      ],
    })!
    expect([...turned.x]).toEqual([0, 1, 2])
    expect([...turned.z]).toEqual([...landscape.z])
  })

  it('has losses between its points and none outside', () => {
    expect(lossAt(landscape, 0, 0)).toBe(1)
    expect(lossAt(landscape, 1.5, 5)).toBeCloseTo((2 + 3 + 4 + 8) / 4)
    expect(lossAt(landscape, 2, 10)).toBe(8)
    expect(lossAt(landscape, 2.1, 5)).toBeNaN()
  })

  it('has a range of losses that can be shown', () => {
    const odd: Landscape = { ...landscape, path: null, z: Float64Array.of(NaN, Infinity, -1, 0, 2, 5) }
    expect(lossRange([odd], false)).toEqual([-1, 5])
    expect(lossRange([odd], true)).toEqual([2, 5])
    expect(lossRange([{ ...odd, z: odd.z.fill(-1) }], true)).toBeNull()
    expect(lossScale([3, 3], false).hi).toBeGreaterThan(3)
    expect([...heights(Float64Array.of(1, 10, 100, Infinity), { lo: 1, hi: 100, isLog: true })]).toEqual([
      0,
      0.5,
      1,
      NaN,
    ])
  })

  it('reaches as far as its path', () => {
    const far: Landscape = { ...landscape, path: { ...landscape.path!, x: Float64Array.of(-5, 2) } }
    expect(extentOf([far], true).x).toEqual([-5, 2])
    expect(extentOf([far], false).x).toEqual([0, 2])
  })

  it('names the points of its path in its unit', () => {
    const names = { step: (text: string) => `S${text}`, epoch: (text: string) => `E${text}` }
    expect(intervalText(landscape, landscape.path!, 1, names)).toBe('S8 (E2)')
    expect(intervalText({ unit: 'epoch', stepsPerEpoch: 4 }, landscape.path!, 0, names)).toBe('E2')
    expect(intervalText({ unit: 'step', stepsPerEpoch: 1 }, landscape.path!, 0, names)).toBe('S2')
  })

  it('is a table with every loss', () => {
    const lines = landscapeCsv([{ name: 'a,b', landscape }])
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(1 + 6 + 2 + 1)
    expect(lines[6]).toBe('"a,b",surface,,2,10,8')
    expect(lines[7]).toBe('"a,b",path,2,0.5,5,2.5')
    expect(lines.at(-1)).toBe('"a,b",end,,2,10,8')
  })
})

describe('a contour map', () => {
  const layout = layOutContour(plot, 400, 300, measure, 'sans')

  it('reads the path, the end, and any place', () => {
    const at = (x: number, y: number) => readContour(plot, layout, xPixel(layout, x), yPixel(layout, y))
    expect(at(0.5, 5)).toMatchObject({ kind: 'path', at: 0 })
    expect(at(1, 0)).toMatchObject({ kind: 'place', losses: [{ loss: 2 }] })
    expect(placeOf(at(1, 0)!).x).toBeCloseTo(1)
    expect(
      readContour({ ...plot, hasPath: false }, layout, xPixel(layout, 0.5), yPixel(layout, 5)),
    ).toMatchObject({ kind: 'place' })
    expect(readContour(plot, layout, 2, 2)).toBeNull()
  })

  it('is drawn with colours, lines, a bar and the path; several have lines in the colours of their runs', () => {
    const draw = (given: ContourPlot): string => {
      const pen = new SvgPen(400, 300, measure)
      drawContour(pen, given, layOutContour(given, 400, 300, measure, 'sans'), COLOURS)
      return pen.toString()
    }
    const alone = draw(plot)
    expect(alone).toContain('>Loss<')
    expect(alone).toContain('rgb(')
    expect(alone).toContain('#123456')
    const both = draw({
      ...plot,
      layers: [...plot.layers, { ...plot.layers[0]!, key: 'b', colour: '#abcdef' }],
    })
    expect(both).not.toContain('rgb(')
    expect(both).toContain('stroke="#abcdef"')
    expect(draw({ ...plot, hasPath: false })).not.toContain('#123456')
  })
})

describe('the tags of landscapes', () => {
  it('of results meet in one card, those of intervals stay', () => {
    const tag = (name: string, run: string) => ({
      tag: name,
      kinds: ['landscapes'] as const,
      runs: [run],
      lastStep: 0,
    })
    const joined = joinRenamed(
      [tag('landscape_[2, 8]', 'a'), tag('landscape_[500]', 'a'), tag('landscape_[300]', 'b')],
      nameOf,
    )
    expect(joined).toMatchObject([
      { tag: 'landscape_[2, 8]', loggedAs: ['landscape_[2, 8]'], runs: ['a'] },
      { tag: 'landscape_[final]', loggedAs: ['landscape_[500]', 'landscape_[300]'], runs: ['a', 'b'] },
    ])
    expect(nameOf('other')).toBe('other')
  })
})

describe('the view of a board of landscapes', () => {
  it('comes back from its address', () => {
    const view: LandscapeView = {
      ...landscapeView.defaults,
      runs: ['a'],
      look: 'surface',
      isLog: true,
      hasPath: false,
      isOverlaid: true,
      hasSameScale: false,
      cameras: new Map([
        ['landscape_[2, 8]', { azimuth: 1, elevation: 0.5, zoom: 1.5, target: [0, 0, 0.1] }],
      ]),
    }
    const { query, hash } = landscapeView.write(view)
    expect(landscapeView.read(query, hash)).toEqual(view)
    expect(landscapeView.write(landscapeView.defaults).query).toBe('')
    expect(landscapeView.read('look=x&log=2&cam=a@b')).toEqual(landscapeView.defaults)
  })
})
