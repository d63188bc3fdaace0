import { expect, test } from 'vitest'
import { wordsIn } from './pattern'

test('words of a plain filter are searched for by the service, those of an expression are not', () => {
  expect(wordsIn('train loss')).toBe('train loss')
  expect(wordsIn('layer.3/weight')).toBe('layer 3/weight')
  expect(wordsIn('loss|accuracy')).toBe('')
  expect(wordsIn('^train')).toBe('')
  expect(wordsIn('')).toBe('')
})
