import { expect, it } from 'vitest'
import { largestCost } from './costs'

it('is what a step spends most on besides computing', () => {
  expect(largestCost({ compute: 60, communication: 25, input_wait: 15 })).toEqual({
    part: 'communication',
    share: 0.25,
  })
})

it('is computing where nothing else counts', () => {
  expect(largestCost({ compute: 97, copy: 3 })).toEqual({ part: 'compute', share: 0.97 })
})

it('is unknown without the parts of steps', () => {
  expect(largestCost({})).toBeNull()
  expect(largestCost({ compute: 0 })).toBeNull()
})
