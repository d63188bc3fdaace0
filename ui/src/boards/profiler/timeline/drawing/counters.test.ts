import { describe, expect, it } from 'vitest'
import { curveOf, lastAt, spokenValue, valueAt } from './counters'

const answer = (...points: readonly (readonly [time: number, value: number])[]) => ({
  name: 'cpu',
  time_ns: points.map(([time]) => time),
  value: points.map(([, value]) => value),
})

describe('a counter', () => {
  it('holds its value until the next one', () => {
    const curve = curveOf(answer([10, 1], [20, 5]), undefined)

    expect([9, 10, 19, 20, 1e9].map((time) => valueAt(curve, time))).toEqual([null, 1, 1, 5, 5])
    expect([9, 10, 25].map((time) => lastAt(curve.time_ns, time))).toEqual([-1, 0, 1])
  })

  it('is told with its unit, bytes in the size that suits them', () => {
    expect(
      [
        [37.5, '%'],
        [3 * 2 ** 30, 'B'],
        [2.5 * 2 ** 20, 'B/s'],
        [1650, 'MHz'],
        [12, ''],
      ].map(([value, unit]) => spokenValue(value as number, unit as string)),
    ).toEqual(['37.5\u202f%', '3.0\u202fGB', '2.5\u202fMB/s', '1650\u202fMHz', '12'])
    expect(spokenValue(123456.7, 'images/s', { isShort: true })).toBe('123\u202fk\u202fimages/s')
    expect(spokenValue(Number.NaN, 'B')).toBe('NaN\u202fB')
  })

  it('keeps its scale when only a part of it is fetched', () => {
    const whole = curveOf(answer([0, -2], [1, Number.NaN], [2, 90]), undefined)
    const part = curveOf(answer([5, 3]), whole)

    expect([part.lowest, part.highest]).toEqual([-2, 90])
    expect(curveOf(answer([5, 300]), part).highest).toBe(300)
  })
})
