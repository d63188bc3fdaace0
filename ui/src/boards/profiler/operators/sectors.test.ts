import { describe, expect, it } from 'vitest'
import { sectorsOf } from './sectors'

describe('sectors', () => {
  it('follow each other from twelve o’clock on', () => {
    const [first, second] = sectorsOf([0.25, 0.75])

    expect(first!.path).toBe('M0 0L0 -1A1 1 0 0 1 1 0Z')
    expect(second!.path).toBe('M0 0L1 0A1 1 0 1 1 0 -1Z')
  })

  it('are a whole circle when there is only one', () => {
    expect(sectorsOf([1])[0]!.path).not.toContain('L')
  })
})
