import { expect, it } from 'vitest'
import { stepsIn } from './stepBands'

const steps = Array.from({ length: 1000 }, (_, number) => ({
  number,
  begin_ns: number * 10,
  end_ns: number * 10 + 9,
}))

it('the steps in sight are drawn, also one that began before', () => {
  expect(stepsIn({ steps, offset: 100 }, { from: 125, to: 141 }, 100).map(({ number }) => number)).toEqual([
    2, 3, 4,
  ])
})

it('steps that are too narrow are not', () => {
  expect(stepsIn({ steps, offset: 0 }, { from: 0, to: 10_000 }, 2000)).toEqual([])
  expect(stepsIn({ steps, offset: 0 }, { from: 0, to: 10_000 }, 3000)).toHaveLength(1000)
})
