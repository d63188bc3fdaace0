import { describe, expect, it } from 'vitest'
import { toggled } from './tagView'
import { EMPTY_VIEW, isLogOf, readView, writeView, type View } from './view'

const ODD_TAG = 'train/a b&c=d#e%20@f,g?标签'

const FULL: View = {
  runs: ['0123abcd', 'x y'], runFilter: 'lr(1|2)', tags: ['loss', ODD_TAG], tagFilter: '^train/', axis: 'relative', smoothing: 0.85, isLog: true,
  logExceptions: [ODD_TAG], ignoreOutliers: true, showOverwritten: true, pins: [ODD_TAG, 'acc'], isCombining: true, left: ['loss'], right: [ODD_TAG],
  zooms: new Map([[ODD_TAG, { x: [1.5, 20], left: [-3, 0.25], right: null }], ['', { x: [0, 1e9], left: null, right: [1e-7, 2] }]]),
  limits: new Map([[ODD_TAG, { lower: -1.5, upper: null }], ['loss', { lower: null, upper: 3e-5 }]]), full: ODD_TAG,
}

function roundTrip(view: View): View {
  const { query, hash } = writeView(view)
  return readView(query, hash)
}

describe('a view in an address', () => {
  it('comes back as it was', () => expect(roundTrip(FULL)).toEqual(FULL))

  it('is nothing when nothing was chosen', () => {
    expect(writeView(EMPTY_VIEW)).toEqual({ query: '', hash: '' })
    expect(readView('')).toEqual(EMPTY_VIEW)
  })

  it('tells "none" from "not chosen"', () => {
    expect(roundTrip({ ...EMPTY_VIEW, runs: [], tags: [] })).toMatchObject({ runs: [], tags: [] })
  })

  it('is readable', () => {
    expect(writeView({ ...EMPTY_VIEW, runs: ['a'], tags: ['train/loss'], axis: 'absolute', smoothing: 0.6 }).query).toBe('run=a&tag=train/loss&x=absolute&s=0.6')
  })

  it('moves behind the # when it is too long for servers, and comes back', () => {
    const many = { ...FULL, runs: Array.from({ length: 500 }, (_, i) => i.toString(16).padStart(16, '0')) }

    expect(writeView(many).query).toBe('')
    expect(roundTrip(many)).toEqual(many)
  })

  it('survives nonsense', () => {
    const view = readView('s=fast&x=sideways&z=1,2@a&z=5,1@b&z=@c&z=7&limit=..@d&limit=1@e&limit=x..2@f&unknown=1')

    expect(view).toMatchObject({ smoothing: 0, axis: 'step' })
    expect([...view.zooms.keys()]).toEqual(['a'])
    expect([...view.limits]).toEqual([['f', { lower: null, upper: 2 }]])
  })
})

describe('isLogOf', () => {
  it('is what the board says unless the card was switched', () => {
    expect(isLogOf({ ...EMPTY_VIEW, isLog: true, logExceptions: ['a'] }, 'a')).toBe(false)
    expect(isLogOf({ ...EMPTY_VIEW, isLog: true, logExceptions: ['a'] }, 'b')).toBe(true)
  })
})

describe('toggled', () => {
  it('puts in and takes out', () => {
    expect(toggled(['a'], 'b')).toEqual(['a', 'b'])
    expect(toggled(['a', 'b'], 'a')).toEqual(['b'])
  })
})
