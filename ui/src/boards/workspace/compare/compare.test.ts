import { describe, expect, it } from 'vitest'
import { curveOf, type RunToCompare } from './queries/api'
import { comparedOf, ruleOf, toggledRun } from './queries/comparedRuns'
import { scalarView } from '@/boards/workspace/scalars/scalarView'
import { csvCell } from '@/boards/workspace/sheet/sheet'
import { facetsOf, groupCsv } from './comparedLines'
import { coloursOf, inOrder, looksOf, valueText } from './looks'
import { percentText, tableSheet } from './comparedSheet'
import { viewFacts } from './viewFacts'

const SERIES = Array.from({ length: 12 }, (_, i) => `c${i}`)
const COLOURS = { series: SERIES, plain: 'plain', own: () => 'own' }
const runOf = (run: string, part: Partial<RunToCompare> = {}): RunToCompare => ({
  run,
  name: run.toUpperCase(),
  group: '',
  colour: '',
  dash: '',
  facet: '',
  is_match: true,
  custom_name: '',
  own_colour: '',
  ...part,
})

describe('which runs are compared', () => {
  const runs = [runOf('a'), runOf('b'), runOf('c', { is_match: false })]
  const ids = (view: Parameters<typeof comparedOf>[1]): string =>
    comparedOf(runs, view)
      .map(({ run }) => run)
      .join('')

  it('those of the rule, those that are ticked, less those left out', () => {
    expect(ids({ isByRule: false, runs: ['c'], without: [] })).toBe('c')
    expect(ids({ isByRule: true, runs: [], without: ['b'] })).toBe('a')
    expect(ids({ isByRule: true, runs: ['c'], without: ['c'] })).toBe('abc')
  })

  it('ticking says so in the shortest way', () => {
    expect(toggledRun({ isByRule: false, runs: ['a'], without: [] }, 'a', true)).toEqual({ runs: [] })
    expect(toggledRun({ isByRule: true, runs: [], without: [] }, 'a', true)).toEqual({
      runs: [],
      without: ['a'],
    })
    expect(toggledRun({ isByRule: true, runs: [], without: ['a'] }, 'a', true)).toEqual({
      runs: [],
      without: [],
    })
    expect(toggledRun({ isByRule: true, runs: [], without: [] }, 'z', false)).toEqual({ runs: ['z'] })
  })

  it('rules are what the service calls them', () => {
    expect(ruleOf({ kind: 'label', texts: ['x', 'y'] })).toEqual({ labels: ['x', 'y'] })
    expect(ruleOf({ kind: 'query', texts: [] })).toEqual({})
  })
})

describe('looks', () => {
  it('orders numbers by size, names after them, nothing last', () => {
    expect(inOrder(['b', '', '10', '9', 'a', '1e-3', 'b'])).toEqual(['1e-3', '9', '10', 'a', 'b', ''])
  })

  it('reads fractions without the digits of their binary form, and nothing else', () => {
    expect(
      ['0.30000000000000004', '0.10000000149011612', '1e-05', '12345678901', 'resnet-50.123', ''].map(
        (value) => valueText(value, 'none'),
      ),
    ).toEqual(['0.3', '0.1', '1e-05', '12345678901', 'resnet-50.123', 'none'])
  })

  it('gives groups colours in turn, then dashes', () => {
    const runs = Array.from({ length: 14 }, (_, i) => runOf(`r${i}`, { group: String(i) }))
    const looks = looksOf(runs, { isGrouped: true, byColour: false, byDash: false }, COLOURS, 'none')
    expect(looks.colourOf(runs[13]!)).toBe('c1')
    expect(looks.dashOf(runs[1]!)).toEqual([])
    expect(looks.dashOf(runs[13]!)).not.toEqual([])
    expect(looks.legend).toHaveLength(14)
  })

  it('names the dashes of groups whose colours follow a column', () => {
    const runs = [runOf('a', { colour: 'x', group: 'g' }), runOf('b', { colour: 'x', group: 'h' })]
    const { legend, dashOf } = looksOf(
      runs,
      { isGrouped: true, byColour: true, byDash: false },
      COLOURS,
      'none',
    )
    expect(legend.map(({ name, colour, dash }) => [name, colour, dash])).toEqual([
      ['x', 'c0', []],
      ['g', 'plain', dashOf(runs[0]!)],
      ['h', 'plain', dashOf(runs[1]!)],
    ])
    expect(dashOf(runs[0]!)).not.toEqual(dashOf(runs[1]!))
    expect(
      looksOf(runs, { isGrouped: true, byColour: true, byDash: true }, COLOURS, 'none').legend.map(
        ({ key }) => key,
      ),
    ).toEqual(['colour x', 'dash '])
  })

  it('names colours and dashes, and shades many numbers from small to large', () => {
    const runs = [runOf('a', { colour: 'x', dash: '1' }), runOf('b', { colour: '', dash: '2' })]
    const { legend } = looksOf(runs, { isGrouped: false, byColour: true, byDash: true }, COLOURS, 'none')
    expect(legend.map(({ name, colour }) => [name, colour])).toEqual([
      ['x', 'c0'],
      ['none', 'plain'],
      ['1', 'plain'],
      ['2', 'plain'],
    ])
    const shades = coloursOf(
      Array.from({ length: 20 }, (_, i) => String(i)),
      SERIES,
      'plain',
    )
    expect(new Set(shades.values()).size).toBe(20)
    expect(shades.get('0')).toMatch(/^rgb/)
  })
})

describe('lines', () => {
  const group = curveOf(
    { tag: 'loss', group: 'g' },
    {
      x: Float64Array.of(0, 1, 2, 3, 4),
      values: Float64Array.of(1, 2, 3, 4, 5),
      low: Float64Array.of(0, 1, NaN, 3, 4),
      high: Float64Array.of(2, 3, NaN, 5, 6),
      n: Float64Array.of(2, 2, 1, 2, 2),
    },
  )
  const looks = looksOf(
    [runOf('a', { group: 'g' })],
    { isGrouped: true, byColour: false, byDash: false },
    COLOURS,
    'none',
  )
  const naming = { names: new Map([['a', 'A']]), nameless: 'none' }
  const plain = { byColour: false, byDash: false }

  it('fills a band only where it is known', () => {
    const [facet] = facetsOf([group], looks, naming, new Map(), plain)
    expect(facet!.lines.map(({ bound }) => bound?.is ?? 'middle')).toEqual(['lower', 'upper', 'middle'])
    expect(facet!.bands.map(({ lower }) => [...lower.xs])).toEqual([
      [0, 1],
      [3, 4],
    ])
    expect(
      facetsOf([{ ...group, low: new Float64Array(5).fill(NaN) }], looks, naming, new Map(), plain)[0]!.bands,
    ).toEqual([])
  })

  it('puts runs into the charts of their values, non-finite values and all', () => {
    const curve = curveOf(
      { tag: 'loss', run: 'a', total_points: 9 },
      { x: Float64Array.of(0, 1), values: Float64Array.of(NaN, -Infinity), smoothed: Float64Array.of(1, 2) },
    )
    const other = curveOf({ tag: 'loss', run: 'b' }, { x: Float64Array.of(0), values: Float64Array.of(1) })
    const facets = facetsOf(
      [curve, other],
      looks,
      naming,
      new Map([
        ['a', runOf('a', { facet: '2' })],
        ['b', runOf('b', { facet: '10' })],
      ]),
      plain,
    )
    expect(facets.map(({ value, lines }) => [value, lines[0]!.name])).toEqual([
      ['2', 'A'],
      ['10', 'b'],
    ])
    expect([...facets[0]!.lines[0]!.curve.values]).toEqual([NaN, -Infinity])
    expect(facets[0]!.lines[0]!.isSmoothed).toBe(true)
  })

  it('writes groups as a table', () => {
    expect(groupCsv([group], 'step', csvCell).split('\n').slice(0, 4)).toEqual([
      'tag,group,source,colour,dash,facet,step,value,low,high,n',
      'loss,g,,,,,0,1,0,2,2',
      'loss,g,,,,,1,2,1,3,2',
      'loss,g,,,,,2,3,,,1',
    ])
  })
})

describe('what a report says of the view', () => {
  it('names only what was chosen', () => {
    expect(viewFacts({ ...scalarView.defaults, smoothing: 0 }, 1200, [])).toEqual([['Runs', '1\u202f200']])
    const view = {
      ...scalarView.defaults,
      groupBy: 'hparam/net',
      centre: 'median' as const,
      band: 'ci95' as const,
      axis: 'tag:epoch',
      smoothing: 0.6,
    }
    expect(viewFacts(view, 3, [{ name: 'hparam/net', label: 'net', group: 'hparam' }])).toEqual([
      ['Runs', '3'],
      ['Group by', 'net · Median · 95 % confidence interval'],
      ['X axis', 'epoch'],
      ['Smoothing', '0.6'],
    ])
  })
})

describe('the table', () => {
  const words = {
    columns: { last: 'last', min: 'min', max: 'max' },
    difference: (name: string) => `${name} Δ`,
    differenceHint: (name: string) => name,
    runsOf: 'runs',
    noValue: 'none',
  }

  it('has the values of every tag and, with a baseline, differences', () => {
    const rows = [
      {
        name: 'A',
        run: 'a',
        values: { loss: { last: 1, min: 0.5, max: 'Infinity' as const } },
        differences: { loss: { last: -50, min: null } },
      },
      { name: 'B', run: 'b', values: {}, differences: {} },
    ]
    const sheet = tableSheet(rows, ['loss'], 'all', true, words)
    expect(sheet.columns.map(({ key }) => key)).toEqual([
      'last:loss',
      'Δlast:loss',
      'min:loss',
      'Δmin:loss',
      'max:loss',
      'Δmax:loss',
    ])
    expect(sheet.columns.map(({ values }) => values)).toEqual([
      [1, null],
      [-50, null],
      [0.5, null],
      [null, null],
      [Infinity, null],
      [null, null],
    ])
    expect(tableSheet(rows, ['loss'], 'last', false, words).columns).toHaveLength(1)
    expect(
      tableSheet(
        [{ name: '', group: '', runs: ['a', 'b'], values: {}, differences: {} }],
        [],
        'all',
        false,
        words,
      ),
    ).toMatchObject({ rows: [{ name: 'none' }], columns: [{ key: 'runs', values: [2] }] })
  })

  it('writes changes with their sign', () => {
    expect([12.345, -0.5, 0, 12345].map(percentText)).toEqual(['+12.35 %', '−0.50 %', '±0.00 %', '+12345 %'])
  })
})
