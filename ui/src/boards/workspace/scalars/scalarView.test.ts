import { describe, expect, it } from 'vitest'
import { toggled } from '@/board/tags/tagView'
import { axisOfTag, axisTag, isLogOf } from './chartFields'
import { fromComparison } from './fromComparison'
import { scalarView, type ScalarView } from './scalarView'

const ODD_TAG = 'train/a b&c=d#e%20@f,g?标签'

const FULL: ScalarView = {
  rule: { kind: 'label', texts: ['best', 'keep me'] },
  isByRule: true,
  runs: ['0123abcd', 'x y'],
  runFilter: '',
  without: ['b'],
  tags: ['loss', ODD_TAG],
  tagFilter: '^train/',
  axis: 'relative',
  smoothing: 0.85,
  isLogX: true,
  isLog: true,
  logExceptions: [ODD_TAG],
  ignoreOutliers: false,
  showSuperseded: true,
  pins: [ODD_TAG, 'acc'],
  isCombining: true,
  left: ['loss'],
  right: [ODD_TAG],
  zooms: new Map([
    [ODD_TAG, { x: [1.5, 20], left: [-3, 0.25], right: null }],
    ['', { x: [0, 1e9], left: null, right: [1e-7, 2] }],
  ]),
  limits: new Map([
    [ODD_TAG, { lower: -1.5, upper: null }],
    ['loss', { lower: null, upper: 3e-5 }],
  ]),
  superseded: ['loss'],
  full: ODD_TAG,
  drawing: 'band',
  centre: 'median',
  band: 'ci95',
  of: 'max',
  groupBy: '',
  groupPattern: '(a|b)',
  colourBy: 'hparam/lr',
  dashBy: 'optimizer',
  facetBy: 'network',
  baseline: 'a',
  sort: '-max:loss',
  metrics: ['gap = train/loss - eval/loss'],
}

function roundTrip(view: ScalarView): ScalarView {
  const { query, hash } = scalarView.write(view)
  return scalarView.read(query, hash)
}

describe('a view in an address', () => {
  it('comes back as it was', () => expect(roundTrip(FULL)).toEqual(FULL))

  it('is nothing when nothing was chosen', () => {
    expect(scalarView.write(scalarView.defaults)).toEqual({ query: '', hash: '' })
    expect(scalarView.read('')).toEqual(scalarView.defaults)
  })

  it('tells "none" from "not chosen"', () => {
    expect(roundTrip({ ...scalarView.defaults, runs: [], tags: [] })).toMatchObject({ runs: [], tags: [] })
  })

  it('is readable', () => {
    expect(
      scalarView.write({
        ...scalarView.defaults,
        runs: ['a'],
        tags: ['train/loss'],
        axis: 'absolute',
        smoothing: 0,
      }).query,
    ).toBe('run=a&tag=train/loss&x=absolute&s=0')
  })

  it('moves behind the # when it is too long for servers, and comes back', () => {
    const many = { ...FULL, runs: Array.from({ length: 500 }, (_, i) => i.toString(16).padStart(16, '0')) }

    expect(scalarView.write(many).query).toBe('')
    expect(roundTrip(many)).toEqual(many)
  })

  it('survives nonsense', () => {
    const view = scalarView.read(
      's=fast&x=sideways&z=1,2@a&z=5,1@b&z=@c&z=7&limit=..@d&limit=1@e&limit=x..2@f&unknown=1',
    )

    expect(view).toMatchObject({ smoothing: 0.6, axis: 'step' })
    expect([...view.zooms.keys()]).toEqual(['a'])
    expect([...view.limits]).toEqual([['f', { lower: null, upper: 2 }]])
  })
})

describe('the selection of runs', () => {
  it.each<[string, Partial<ScalarView>]>([
    ['run=a&run=b', { runs: ['a', 'b'], isByRule: false }],
    ['run=none', { runs: [], isByRule: false }],
    ['query=lr > 0.1', { rule: { kind: 'query', texts: ['lr > 0.1'] }, isByRule: true, runs: [] }],
    ['find=resnet&list=1&run=a', { rule: { kind: 'find', texts: ['resnet'] }, isByRule: false, runs: ['a'] }],
    ['all=1&not=b', { isByRule: true, runs: [], without: ['b'] }],
    ['x=nonsense&s=7&band=wide', { axis: 'step', smoothing: 0.6, band: 'sd' }],
    ['s=0&outliers=ignore', { smoothing: 0, ignoreOutliers: true }],
    // The filter of the list of runs in 0.1.0.
    ['rf=lr(1|2)&run=a', { rule: { kind: 're', texts: ['lr(1|2)'] }, isByRule: false, runs: ['a'] }],
  ])('understands %s', (query, expected) => {
    expect(scalarView.read(query)).toMatchObject(expected)
    expect(roundTrip(scalarView.read(query))).toEqual(scalarView.read(query))
  })

  it('is that of a comparison of 0.1.0', () => {
    expect(scalarView.read(fromComparison('q=lr > 0.1&tf=lo&tag=loss&xlog=1&group=hparam/lr'))).toMatchObject(
      {
        rule: { kind: 'query', texts: ['lr > 0.1'] },
        isByRule: true,
        tagFilter: 'lo',
        tags: ['loss'],
        isLogX: true,
        groupBy: 'hparam/lr',
      },
    )
  })
})

it('tells scalars that are axes from the other axes', () => {
  expect(axisTag('step')).toBeNull()
  expect(axisTag(axisOfTag('tag:step'))).toBe('tag:step')
})

describe('isLogOf', () => {
  it('is what the board says unless the card was switched', () => {
    expect(isLogOf({ ...scalarView.defaults, isLog: true, logExceptions: ['a'] }, 'a')).toBe(false)
    expect(isLogOf({ ...scalarView.defaults, isLog: true, logExceptions: ['a'] }, 'b')).toBe(true)
  })
})

describe('toggled', () => {
  it('puts in and takes out', () => {
    expect(toggled(['a'], 'b')).toEqual(['a', 'b'])
    expect(toggled(['a', 'b'], 'a')).toEqual(['b'])
  })
})
