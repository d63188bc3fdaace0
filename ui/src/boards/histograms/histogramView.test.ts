import { describe, expect, it } from 'vitest'
import { histogramView, type HistogramView } from './histogramView'

const ODD_TAG = 'conv/a b&c=d#e%20@f,g?标签'

const FULL: HistogramView = {
  runs: ['0123abcd', 'x y'],
  runFilter: 'lr(1|2)',
  tags: [],
  tagFilter: '^conv/',
  axis: 'relative',
  look: 'bands',
  pins: [ODD_TAG, 'bias'],
  superseded: ['loss'],
  full: ODD_TAG,
  isLog: true,
  showSuperseded: true,
  zooms: new Map([
    [ODD_TAG, { steps: [10, 2000], values: [-0.125, 1e-9] }],
    ['bias', { steps: null, values: [-1, 1] }],
    ['w', { steps: [5, 5], values: null }],
  ]),
}

describe('a histogram view in an address', () => {
  it('comes back as it was', () => {
    const { query, hash } = histogramView.write(FULL)
    expect(histogramView.read(query, hash)).toEqual(FULL)
  })

  it('is nothing when nothing was chosen', () => {
    expect(histogramView.write(histogramView.defaults)).toEqual({ query: '', hash: '' })
    expect(histogramView.read('')).toEqual(histogramView.defaults)
  })

  it('survives nonsense', () =>
    expect(histogramView.read('x=sideways&look=odd&z=1,2&z=a,b,c,d@w&z=9,1,,@v&z=,,,@u')).toEqual(
      histogramView.defaults,
    ))
})
