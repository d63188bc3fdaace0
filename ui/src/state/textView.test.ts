import { describe, expect, test } from 'vitest'
import { baseOf, EMPTY_TEXT_VIEW, readTextView, writeTextView, type TextView } from './textView'

describe('the view of a text board', () => {
  test('survives its address', () => {
    const view: TextView = { ...EMPTY_TEXT_VIEW, runs: ['a'], step: 3, look: 'diff', against: 7, find: 'loss & more', full: 'x/y' }

    const { query, hash } = writeTextView(view)

    expect(readTextView(query, hash)).toEqual(view)
  })

  test('is short when nothing was chosen, and stands nonsense', () => {
    expect(writeTextView(EMPTY_TEXT_VIEW).query).toBe('')
    expect(readTextView('as=html&against=x&step=1.5')).toEqual(EMPTY_TEXT_VIEW)
  })
})

test('a difference is taken from the step before, the first, or a certain one', () => {
  const steps = [0, 10, 20]

  expect(baseOf('previous', steps, 2)).toBe(10)
  expect(baseOf('previous', steps, 0)).toBeNull()
  expect(baseOf('first', steps, 2)).toBe(0)
  expect(baseOf(20, steps, 1)).toBe(20)
  expect(baseOf(15, steps, 1)).toBeNull()
})
