import { describe, expect, it } from 'vitest'
import { besideSuperseded, replacedIn, type Replaceable } from './superseded'

const series = (...items: Replaceable['items']): Replaceable => ({
  run: 'r',
  tag: 't',
  source: '',
  superseded: 3,
  items,
})
const at = (step: number, wall: number, index = 0) => ({ step, wall, index })

describe('superseded values', () => {
  it('come as series of their own, the last replaced first', () => {
    const every = series(at(0, 1), at(1, 2), at(1, 3), at(1, 4), at(2, 5))

    const found = replacedIn(every, series(at(0, 1), at(1, 4), at(2, 5)))

    expect(
      found.map(({ replaced, superseded, items }) => [replaced, superseded, items.map(({ wall }) => wall)]),
    ).toEqual([
      [1, 0, [3]],
      [2, 0, [2]],
    ])
  })

  it('stay together when they were logged together', () => {
    const every = series(at(1, 2), at(1, 2, 1), at(1, 3), at(1, 3, 1))

    expect(replacedIn(every, series(at(1, 3), at(1, 3, 1))).map(({ items }) => items)).toEqual([
      [at(1, 2), at(1, 2, 1)],
    ])
  })

  it('are those that the service does not show, not simply the first ones', () => {
    expect(replacedIn(series(at(1, 9), at(1, 3)), series(at(1, 9)))[0]!.items).toEqual([at(1, 3)])
    expect(replacedIn(series(at(7, 3)), undefined)[0]!.items).toEqual([at(7, 3)])
  })

  it('are asked for only on demand', async () => {
    const asked: (boolean | undefined)[] = []
    const fetch = besideSuperseded(({ withSuperseded }: { withSuperseded?: boolean }) => {
      asked.push(withSuperseded)
      return Promise.resolve([withSuperseded ? series(at(1, 2), at(1, 3)) : series(at(1, 3))])
    })

    expect((await fetch({})).length).toBe(1)
    expect(asked).toEqual([false])
    expect((await fetch({ withSuperseded: true })).map(({ replaced }) => replaced)).toEqual([undefined, 1])
  })
})
