import { describe, expect, it } from 'vitest'
import { panesOf } from '@/board/steps/panes'
import { SAME_PANE, wipeOf, type WipeChoice } from './swipe'

const NAMES = new Map([
  ['a', 'A'],
  ['b', 'B'],
  ['c', 'C'],
])
const series = (run: string) => ({ run, tag: 't', source: '', items: [0, 10, 20].map((step) => ({ step })) })
const PANES = panesOf([series('a'), series('b'), series('c')], ['a', 'b', 'c'], NAMES)
const AS_THEY_COME: WipeChoice = { first: null, second: null, against: null }

const shown = (choice: Partial<WipeChoice>, panes = PANES) => {
  const wipe = wipeOf(panes, { ...AS_THEY_COME, ...choice }, 20)
  return wipe && [wipe.first.run, wipe.items[0]?.step, wipe.second.run, wipe.overs[0]?.step]
}

describe('wiping', () => {
  it('is between the first two runs at the same step', () => expect(shown({})).toEqual(['a', 20, 'b', 20]))

  it('is between those that were chosen', () => {
    expect(shown({ first: 'c' })).toEqual(['c', 20, 'a', 20])
    expect(shown({ second: 'a' })).toEqual(['b', 20, 'a', 20])
    expect(shown({ first: 'c', second: 'b' })).toEqual(['c', 20, 'b', 20])
    expect(shown({ first: 'gone', second: 'gone too' })).toEqual(['a', 20, 'b', 20])
  })

  it('is between two steps of a run', () => {
    expect(shown({ first: 'b', second: SAME_PANE, against: 10 })).toEqual(['b', 20, 'b', 10])
    expect(shown({ second: SAME_PANE })).toEqual(['a', 20, 'a', 0])
  })

  it('of a single run can only be between its steps', () =>
    expect(shown({ second: 'b', against: 13 }, PANES.slice(0, 1))).toEqual(['a', 20, 'a', 10]))

  it('needs a run', () => expect(shown({}, [])).toBeNull())
})
