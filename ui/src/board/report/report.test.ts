import { describe, expect, it } from 'vitest'
import type { ChartColours } from '@/base/theme'
import type { Line, Values } from '@/plot/curves'
import type { Plot } from '@/plot/plot'
import { downsampledPositions, downsampledPlot } from './downsampling'
import { reportHtml, type Report, type ReportLook } from './report'

const COLOURS: ChartColours = {
  surface: '#fff',
  text: '#333',
  grid: '#eee',
  axis: '#999',
  danger: '#f00',
  accent: '#00f',
  series: ['#123456'],
  font: 'sans-serif',
}
const LOOK: ReportLook = {
  colours: COLOURS,
  background: '#fafafa',
  text: '#111',
  border: '#ddd',
  language: 'en',
}
const WORDS = {
  downsampled: (points: string) => `at most ${points}`,
  cut: (rows: string) => `${rows} left out`,
  moreNames: (names: string) => `and ${names}`,
  more: 'more',
  source: 'View',
}
const MEASURE = { font: '', measureText: (text: string) => ({ width: text.length * 6 }) as TextMetrics }

function line(name: string, values: readonly number[]): Line<Values> {
  const ys = Float64Array.from(values)
  return {
    key: name,
    name,
    curve: { values: ys },
    colour: '#123456',
    dash: [],
    side: 'left',
    breaks: [],
    xs: ys.map((_, i) => i),
    ys,
    isSmoothed: false,
    isOrdered: true,
  }
}

const plotOf = (lines: readonly Line<Values>[]): Plot<Values> => ({
  lines,
  axis: 'step',
  box: null,
  isLog: false,
  ignoreOutliers: false,
  limits: { lower: null, upper: null },
  xLabel: 'Step',
})

const made = (report: Partial<Report>): string =>
  reportHtml(
    {
      title: 'T',
      note: '',
      facts: [],
      address: 'http://here/',
      charts: [],
      pictures: [],
      tables: [],
      ...report,
    },
    LOOK,
    WORDS,
    'abc123',
    MEASURE,
  )

describe('reports', () => {
  it('hold hostile names as texts only', () => {
    const bad = '</script><script>alert(1)</script><img src=x onerror=alert(1)> "\' \u2028'
    const html = made({
      title: bad,
      note: bad,
      address: `http://here/?q=${bad}`,
      facts: [[bad, bad]],
      charts: [{ title: bad, plot: { ...plotOf([line(bad, [1, 2])]), xLabel: bad } }],
      tables: [{ title: bad, head: [bad], rows: [[bad]], cut: 0 }],
    })
    expect(html).not.toContain('<img')
    expect(html.match(/<script/g)).toHaveLength(2) // the data of the chart, and the reader
    const data = /<script type="application\/json">(.*?)<\/script>/s.exec(html)![1]!
    expect((JSON.parse(data) as { lines: { name: string }[] }).lines[0]!.name).toBe(bad)
  })

  it('hold the band and the number of runs at each point of groups', () => {
    const html = made({
      charts: [
        {
          title: 'c',
          plot: plotOf([line('g', [1, 2])]),
          detailOf: (key, x) => (key === 'g' ? [x === 0 ? NaN : 0.25, x === 0 ? NaN : 3, x + 1] : null),
        },
      ],
    })
    const data = /<script type="application\/json">(.*?)<\/script>/s.exec(html)![1]!
    expect((JSON.parse(data) as { lines: { details: unknown }[] }).lines[0]!.details).toEqual([
      [null, null, 1],
      [0.25, 3, 2],
    ])
  })

  it('say when curves were downsampled, and only then', () => {
    const long = line(
      'long',
      Array.from({ length: 200_000 }, (_, i) => i % 7),
    )
    expect(made({ charts: [{ title: 'c', plot: plotOf([long]) }] })).toContain('at most 150000')
    expect(made({ charts: [{ title: 'c', plot: plotOf([line('short', [1, 2])]) }] })).not.toContain('at most')
    expect(made({ tables: [{ title: 't', head: [], rows: [], cut: 3 }] })).toContain('3 left out')
  })
})

describe('downsampling', () => {
  it('keeps ends, peaks and holes within its limit', () => {
    const values = Float64Array.from({ length: 10_000 }, (_, i) => Math.sin(i))
    values[4321] = 99
    values[77] = -99
    values[5000] = NaN
    const places = downsampledPositions(values, 400)!
    expect(places.length).toBeLessThanOrEqual(400)
    for (const place of [0, 77, 4321, 9999]) expect(places).toContain(place)
    expect([...places].sort((a, b) => a - b)).toEqual(places)
    expect(downsampledPositions(values, 10_000)).toBeNull()
  })

  it('moves breaks along with the points behind them', () => {
    const broken = {
      ...line(
        'a',
        Array.from({ length: 1000 }, (_, i) => i),
      ),
      breaks: [500],
    }
    const [thin] = downsampledPlot(plotOf([broken]), 40).lines
    expect(thin!.xs[thin!.breaks[0]!]).toBeGreaterThanOrEqual(500)
    expect(thin!.xs[thin!.breaks[0]! - 1]).toBeLessThan(500)
  })
})
