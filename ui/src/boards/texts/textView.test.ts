import { describe, expect, test } from 'vitest'
import { baseOf, textView, type TextView } from './textView'

describe('the view of a text board', () => {
  test('survives its address', () => {
    const view: TextView = {
      ...textView.defaults,
      runs: ['a'],
      step: 3,
      look: 'diff',
      against: 7,
      find: 'loss & more',
      full: 'x/y',
    }

    const { query, hash } = textView.write(view)

    expect(textView.read(query, hash)).toEqual(view)
  })

  test('is short when nothing was chosen, and stands nonsense', () => {
    expect(textView.write(textView.defaults).query).toBe('')
    expect(textView.read('as=html&against=x&step=1.5')).toEqual(textView.defaults)
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
