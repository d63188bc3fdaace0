import { describe, expect, it } from 'vitest'
import { boundedNumber, embeddingView, type EmbeddingView } from './embeddingView'

const FULL: EmbeddingView = {
  runs: ['a', 'b'],
  runFilter: 'r',
  tagFilter: 't',
  tag: 'layer/words',
  of: 'b',
  source: 'x',
  step: 12,
  method: 'umap',
  metric: 'cosine',
  perplexity: 5.5,
  iterations: 300,
  neighbours: 40,
  minDistance: 0.25,
  dimensions: 2,
  components: [3, 0, 1],
  colour: 'digit',
  off: ['1', 'two'],
  search: '^w',
  point: 0,
  near: 50,
  nearMetric: 'cosine',
  names: 'word',
  hasPictures: false,
  look: { azimuth: 1, elevation: 0.5, zoom: 2, target: [0.1, 0, 0] },
}

describe('the view of embeddings in an address', () => {
  it('comes back as it was', () => {
    const { query, hash } = embeddingView.write(FULL)
    expect(embeddingView.read(query, hash)).toEqual(FULL)
  })

  it('leaves out what is as always', () => {
    expect(embeddingView.write(embeddingView.defaults)).toEqual({ query: '', hash: '' })
    expect(embeddingView.read('')).toEqual(embeddingView.defaults)
  })

  it('tells "no colour" from "any colour"', () => {
    expect(
      embeddingView.read(embeddingView.write({ ...embeddingView.defaults, colour: '' }).query).colour,
    ).toBe('')
  })

  it('takes nothing that it cannot understand', () => {
    const view = embeddingView.read(
      'method=guess&dims=4&axes=1,2&point=-3&step=x&perplexity=1e9&near=abc&look=1,2',
    )
    expect(view).toEqual({ ...embeddingView.defaults, perplexity: 1000 })
  })
})

it.each([
  ['iterations', '12.4', 12],
  ['perplexity', '0', 1],
  ['minDistance', '0.5', 0.5],
  ['near', '', null],
] as const)('%s of "%s" is %s', (name, text, value) => {
  expect(boundedNumber(name, text)).toBe(value)
})
