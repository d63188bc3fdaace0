import { describe, expect, it } from 'vitest'
import {
  byCard,
  defineView,
  fields,
  flag,
  flagOff,
  list,
  number,
  oneOf,
  selection,
  text,
  type ViewOf,
} from './view'

const view = defineView(
  fields({ runs: selection('run'), search: text('q'), isLog: flag('log'), hasPath: flagOff('path') }),
  fields({
    look: oneOf('look', ['flat', 'deep']),
    digits: number('digits', 4, (value) => value >= 1 && value <= 9),
    pins: list('pin'),
    sizes: byCard<number>('size', (value) => Number(value) || null),
  }),
)

const FULL: ViewOf<typeof view> = {
  runs: [],
  search: 'a b&c',
  isLog: true,
  hasPath: false,
  look: 'deep',
  digits: 7,
  pins: ['x', 'y'],
  sizes: new Map([['a@b', 3]]),
}

describe('a view declared as tables of fields', () => {
  it('writes nothing for its defaults', () => {
    expect(view.write(view.defaults)).toEqual({ query: '', hash: '' })
    expect(view.read('')).toEqual(view.defaults)
  })

  it('writes each field under its key, in the order of the tables', () => {
    expect(view.write(FULL).query).toBe(
      'run=none&q=a+b%26c&log=1&path=0&look=deep&digits=7&pin=x&pin=y&size=3@a@b',
    )
    expect(view.read(view.write(FULL).query)).toEqual(FULL)
  })

  it('reads the default where it does not understand the address', () =>
    expect(view.read('log=yes&path=1&look=odd&digits=99&size=x@a&size=3&other=1')).toEqual(view.defaults))
})
