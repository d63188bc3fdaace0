import { describe, expect, it } from 'vitest'
import { axisOfTag, axisTag, EMPTY_COMPARE_VIEW, readCompareView, writeCompareView, type CompareView } from './compareView'

function roundTrip(view: CompareView): CompareView {
  const { query, hash } = writeCompareView(view)
  return readCompareView(query, hash)
}

describe('the address of a comparison', () => {
  it('is empty at first and comes back as it was', () => {
    expect(writeCompareView(EMPTY_COMPARE_VIEW)).toEqual({ query: '', hash: '' })
    const view: CompareView = {
      ...EMPTY_COMPARE_VIEW, rule: { kind: 'label', texts: ['best', 'keep me'] }, isByRule: true, runs: ['a'], without: ['b'], tags: ['loss'], tagFilter: 'lo',
      axis: axisOfTag('epoch'), smoothing: 0.6, isLogX: true, isLogY: true, ignoreOutliers: true, groupPattern: '(a|b)', centre: 'median', band: 'ci95',
      colourBy: 'hparam/lr', dashBy: 'optimizer', facetBy: 'network', baseline: 'a', of: 'max', sort: '-max:loss',
      zooms: new Map([['loss', { x: [1, 2], left: [0, 5], right: null }]]), full: 'loss',
    }
    expect(roundTrip(view)).toEqual(view)
  })

  it.each<[string, Partial<CompareView>]>([
    ['run=a&run=b', { runs: ['a', 'b'], isByRule: false }],
    ['run=none', { runs: [], isByRule: false }],
    ['q=lr > 0.1', { rule: { kind: 'q', texts: ['lr > 0.1'] }, isByRule: true, runs: [] }],
    ['find=resnet&list=1&run=a', { rule: { kind: 'find', texts: ['resnet'] }, isByRule: false, runs: ['a'] }],
    ['all=1&not=b', { isByRule: true, runs: [], without: ['b'] }],
    ['x=nonsense&s=7&band=wide', { axis: 'step', smoothing: 0, band: 'sd' }],
  ])('understands %s', (query, expected) => {
    expect(readCompareView(query)).toMatchObject(expected)
    expect(roundTrip(readCompareView(query))).toEqual(readCompareView(query))
  })

  it('tells scalars that are axes from the other axes', () => {
    expect(axisTag('step')).toBeNull()
    expect(axisTag(axisOfTag('tag:step'))).toBe('tag:step')
  })
})
