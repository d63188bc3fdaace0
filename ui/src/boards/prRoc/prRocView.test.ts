import { describe, expect, it } from 'vitest'
import { chartsOf, prRocTagsOf } from './prRocTags'
import { prRocView, type PrRocView } from './prRocView'

const FULL: PrRocView = {
  runs: ['a'],
  runFilter: 'x',
  tags: ['t'],
  tagFilter: 'q',
  pins: ['p'],
  superseded: ['loss'],
  full: 'f',
  step: 3,
  isLinked: false,
  steps: new Map([['t', 'newest' as const]]),
  time: 'absolute',
  isGrouped: true,
  zooms: new Map([['eval/a@b', { x: [0, 0.25] as const, y: [0.5, 1.04] as const }]]),
}

describe('a curve view in an address', () => {
  it('comes back as it was', () => {
    const { query, hash } = prRocView.write(FULL)
    expect(prRocView.read(query, hash)).toEqual(FULL)
  })

  it('is nothing when nothing was chosen', () => {
    expect(prRocView.write(prRocView.defaults)).toEqual({ query: '', hash: '' })
    expect(prRocView.read('')).toEqual(prRocView.defaults)
  })

  it('survives nonsense', () =>
    expect(prRocView.read('time=soon&per=all&z=1,0,0,1@a&z=0,9,0,1@b&z=@c')).toEqual(prRocView.defaults))
})

describe('tags of curves', () => {
  const tags = prRocTagsOf([
    { tag: 'eval/cat', kinds: ['pr_curves', 'roc_curves'], runs: ['a'], lastStep: 1 },
    { tag: 'eval/dog', kinds: ['pr_curves'], runs: ['a', 'b'], lastStep: 2 },
    { tag: 'all', kinds: ['roc_curves'], runs: ['b'], lastStep: 3 },
  ])

  it('are told apart where a tag has both kinds', () => {
    expect(tags.map(({ tag, logged, kind }) => [tag, logged, kind])).toEqual([
      ['eval/cat (PR)', 'eval/cat', 'pr_curves'],
      ['eval/cat (ROC)', 'eval/cat', 'roc_curves'],
      ['eval/dog', 'eval/dog', 'pr_curves'],
      ['all', 'all', 'roc_curves'],
    ])
  })

  it('share a chart with those of their beginning and kind', () => {
    expect(chartsOf(tags).map(({ id, items }) => [id, items.map(({ logged }) => logged)])).toEqual([
      ['eval/* (PR)', ['eval/cat', 'eval/dog']],
      ['eval/* (ROC)', ['eval/cat']],
      ['* (ROC)', ['all']],
    ])
  })
})
