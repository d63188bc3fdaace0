import { describe, expect, it } from 'vitest'
import { EMPTY_HISTOGRAM_VIEW, readHistogramView, writeHistogramView, type HistogramView } from './histogramView'

const ODD_TAG = 'conv/a b&c=d#e%20@f,g?标签'

const FULL: HistogramView = {
  runs: ['0123abcd', 'x y'], runFilter: 'lr(1|2)', tags: [], tagFilter: '^conv/', axis: 'relative', look: 'bands', pins: [ODD_TAG, 'bias'], full: ODD_TAG,
  isLog: true, showOverwritten: true,
  zooms: new Map([[ODD_TAG, { steps: [10, 2000], values: [-0.125, 1e-9] }], ['bias', { steps: null, values: [-1, 1] }], ['w', { steps: [5, 5], values: null }]]),
}

describe('a histogram view in an address', () => {
  it('comes back as it was', () => {
    const { query, hash } = writeHistogramView(FULL)
    expect(readHistogramView(query, hash)).toEqual(FULL)
  })

  it('is nothing when nothing was chosen', () => {
    expect(writeHistogramView(EMPTY_HISTOGRAM_VIEW)).toEqual({ query: '', hash: '' })
    expect(readHistogramView('')).toEqual(EMPTY_HISTOGRAM_VIEW)
  })

  it('survives nonsense', () => expect(readHistogramView('x=sideways&look=odd&z=1,2&z=a,b,c,d@w&z=9,1,,@v&z=,,,@u')).toEqual(EMPTY_HISTOGRAM_VIEW))
})
