import { describe, expect, it } from 'vitest'
import { EMPTY_HISTOGRAM_VIEW, readHistogramView, writeHistogramView, type HistogramView } from './histogramView'

const ODD_TAG = 'conv/a b&c=d#e%20@f,g?标签'

const FULL: HistogramView = {
  runs: ['0123abcd', 'x y'], runFilter: 'lr(1|2)', tags: [], tagFilter: '^conv/', axis: 'relative', look: 'bands', pins: [ODD_TAG, 'bias'], full: ODD_TAG,
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

  it('survives nonsense', () => expect(readHistogramView('x=sideways&look=odd')).toEqual(EMPTY_HISTOGRAM_VIEW))
})
