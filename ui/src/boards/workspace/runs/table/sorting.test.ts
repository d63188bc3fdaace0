import { expect, it } from 'vitest'
import { directionOf, sortedBy } from './sorting'

it('sorts by one column: its best first, then the other way round, then not at all', () => {
  const first = sortedBy(['-loss'], 'accuracy', 'max', false)
  const second = sortedBy(first, 'accuracy', 'max', false)

  expect(first).toEqual(['-accuracy'])
  expect(second).toEqual(['accuracy'])
  expect(sortedBy(second, 'accuracy', 'max', false)).toEqual([])
})

it('adds columns behind those that decide already', () => {
  const one = sortedBy(['optimizer'], 'loss', 'min', true)

  expect(one).toEqual(['optimizer', 'loss'])
  expect(sortedBy(one, 'loss', 'min', true)).toEqual(['optimizer', '-loss'])
  expect(sortedBy(['optimizer', '-loss'], 'loss', 'min', true)).toEqual(['optimizer'])
})

it('tells in which direction a column is sorted', () => {
  expect(directionOf(['-loss', 'run'], 'loss')).toBe('max')
  expect(directionOf(['-loss', 'run'], 'run')).toBe('min')
  expect(directionOf(['-loss', 'run'], 'accuracy')).toBeNull()
})
