import { expect, it } from 'vitest'
import { minusStep } from './shownTensors'

it('finds the step to compare with', () => {
  const steps = [0, 10, 20]

  expect(minusStep(steps, 20, null)).toBeNull()
  expect(minusStep(steps, 20, 'previous')).toBe(10)
  expect(minusStep(steps, 20, 'first')).toBe(0)
  expect(minusStep(steps, 20, 15)).toBe(10)
  expect(minusStep(steps, 20, 20)).toBe(20)
})

it('has none before the first step', () => {
  expect(minusStep([0, 10], 0, 'previous')).toBeUndefined()
  expect(minusStep([0, 10], 0, 'first')).toBeUndefined()
})
