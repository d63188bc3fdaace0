import { describe, expect, it } from 'vitest'
import { stepOf } from '@/board/steps/stepView'
import { imageView, type ImageView } from './imageView'

const ODD_TAG = 'eval/a b&c=d#e%20@f,g?标签'

const FULL: ImageView = {
  runs: ['0123abcd', 'x y'],
  runFilter: 'lr(1|2)',
  tags: ['sample', ODD_TAG],
  tagFilter: '^eval/',
  pins: ['sample'],
  step: 120,
  isLinked: false,
  steps: new Map<string, number | 'newest'>([
    [ODD_TAG, -3],
    ['sample', 'newest'],
  ]),
  brightness: 1.25,
  contrast: 0.4,
  isActual: true,
  isSmooth: true,
  isWiping: true,
  split: 0.125,
  first: '0123abcd',
  second: 'x y',
  against: -4,
  isMatrix: true,
  zooms: new Map([[ODD_TAG, { factor: 8, x: 0.25, y: 1 }]]),
  superseded: ['loss'],
  full: ODD_TAG,
}

function roundTrip(view: ImageView): ImageView {
  const { query, hash } = imageView.write(view)
  return imageView.read(query, hash)
}

describe('an image view in an address', () => {
  it('comes back as it was', () => expect(roundTrip(FULL)).toEqual(FULL))

  it('is nothing when nothing was chosen', () => {
    expect(imageView.write(imageView.defaults)).toEqual({ query: '', hash: '' })
    expect(imageView.read('')).toEqual(imageView.defaults)
  })

  it('survives nonsense', () => {
    const view = imageView.read(
      'step=soon&against=x&bright=-1&contrast=99&wipe=9&z=0,1,1@a&z=2,5,0@b&z=2@c&z=2,0,0@d&at=x@e&at=4@f',
    )

    expect(view).toMatchObject({ step: null, brightness: 1, contrast: 1, isWiping: true, split: 0.5 })
    expect([...view.zooms.keys()]).toEqual(['d'])
    expect([...view.steps]).toEqual([['f', 4]])
  })
})

describe('stepOf', () => {
  it('is the same for all cards while they are linked', () => {
    expect(stepOf({ ...FULL, isLinked: true }, ODD_TAG)).toBe(120)
    expect(stepOf(FULL, ODD_TAG)).toBe(-3)
    expect(stepOf(FULL, 'sample')).toBe(null)
    expect(stepOf(FULL, 'other')).toBe(120)
  })
})
