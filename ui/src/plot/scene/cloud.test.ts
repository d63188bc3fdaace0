import { describe, expect, it } from 'vitest'
import { spreadOrder } from './cloud'

describe('the order of a cloud', () => {
  it.each([0, 1, 2, 3, 10, 1000, 4096, 99991])('has each of %i points once', (count) => {
    expect([...spreadOrder(count)].sort((a, b) => a - b)).toEqual(Array.from({ length: count }, (_, i) => i))
  })

  it('has points of all parts in every beginning', () => {
    const begun = spreadOrder(10_000).slice(0, 100)
    const parts = new Set([...begun].map((point) => Math.floor(point / 500)))
    expect(parts.size).toBe(20)
  })
})
