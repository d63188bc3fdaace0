import { describe, expect, it } from 'vitest'
import type { ChartLayouts, LayoutChart } from './api'
import { contentOf, groupCharts, joinCharts, type CustomChart } from './customCharts'
import type { Match } from './patternMatching'

const chart = (
  title: string,
  tags: readonly string[],
  margins: LayoutChart['margins'] = [],
): LayoutChart => ({ title, tags, margins })
const EMPTY = { tag: '', source: '', total_steps: 1, superseded: 0 }
const ITEM = { step: 0, wall_time: 0 }
const layout = (
  run: string,
  ...categories: readonly (readonly [string, readonly LayoutChart[], boolean?])[]
): ChartLayouts => ({
  ...EMPTY,
  run,
  items: categories.map(([title, charts, collapsed = false]) => ({
    ...ITEM,
    categories: [{ title, collapsed, charts }],
  })),
})
const BAND = { value: 'mean', lower: 'low', upper: 'high' }

describe('the charts of several layouts', () => {
  it('come in the order of the layouts, in their categories', () => {
    const charts = joinCharts([
      layout('a', ['z', [chart('two', ['x']), chart('one', ['y'])], true], ['b', [chart('three', [])]]),
    ])
    expect(charts.map(({ tag, isClosed }) => [tag, isClosed])).toEqual([
      ['z/two', true],
      ['z/one', true],
      ['b/three', false],
    ])
    expect(groupCharts(charts)).toEqual([
      { prefix: 'z', tags: ['z/two', 'z/one'] },
      { prefix: 'b', tags: ['b/three'] },
    ])
  })

  it('of one run are as it said last, of several runs all together', () => {
    const charts = joinCharts([
      layout('a', ['c', [chart('t', ['old'])]], ['c', [chart('t', ['new'], [BAND])]]),
      layout('b', ['c', [chart('t', ['other', 'new'], [BAND])]]),
    ])
    expect(charts).toMatchObject([
      { tag: 'c/t', runs: ['a', 'b'], patterns: ['new', 'other'], margins: [BAND] },
    ])
  })

  it('have names of their own, and survive layouts that cannot be read', () => {
    const charts = joinCharts([
      { ...EMPTY, run: 'a', items: [{ ...ITEM, categories: null, error: 'bad' }] },
      layout('b', ['x/y', [chart('z', [])]], ['x', [chart('y/z', [])]], ['', [chart('alone', [])]]),
    ])
    expect(charts.map(({ tag }) => tag)).toEqual(['x/y/z', 'x/y/z (2)', 'alone'])
  })
})

describe('what of a chart can be drawn', () => {
  const given: CustomChart = {
    tag: 'c/t',
    category: 'c',
    title: 't',
    isClosed: false,
    runs: ['a'],
    lastStep: 0,
    patterns: ['loss', '(', 'acc', '(a+)+$'],
    margins: [BAND, { value: 'mean', lower: 'low', upper: 'gone' }],
  }
  const matches = new Map<string, Match>([
    ['loss', ['loss', 'loss/b']],
    ['(', 'invalid'],
    ['acc', []],
    ['(a+)+$', 'slow'],
  ])

  it('are the tags that match and the bands that are whole', () => {
    expect(contentOf(given, new Set(['mean', 'low', 'high', 'loss']), matches)).toEqual({
      lines: ['loss', 'loss/b', 'mean'],
      margins: [BAND],
      unmatched: [
        { tag: '(', problem: 'invalid' },
        { tag: 'acc', problem: 'missing' },
        { tag: '(a+)+$', problem: 'slow' },
        { tag: 'gone', problem: 'missing' },
      ],
      isKnown: true,
    })
  })

  it('is not known before patterns were tried', () =>
    expect(contentOf(given, new Set(), new Map()).isKnown).toBe(false))
})
