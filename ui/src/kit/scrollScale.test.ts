import { describe, expect, it } from 'vitest'
import { MOST_PIXELS, scrollScale } from './scrollScale'

const [ROW, VIEW] = [28, 500]

describe('scrollScale', () => {
  it('leaves short lists alone', () => {
    const scale = scrollScale(1000, ROW, VIEW)
    expect([scale.height, scale.isScaled, scale.toList(1234.5), scale.toBar(1234.5)]).toEqual([
      28_000,
      false,
      1234.5,
      1234.5,
    ])
  })

  it.each([428_572, 1_000_001, 2_000_000_000])('reaches the last of %i rows', (count) => {
    const scale = scrollScale(count, ROW, VIEW)
    expect(scale.height).toBe(MOST_PIXELS)
    expect(scale.toList(0)).toBe(0)
    expect(scale.toList(MOST_PIXELS - VIEW)).toBe(count * ROW - VIEW)
    // The ends scroll pixel by pixel.
    expect(scale.toList(MOST_PIXELS - VIEW - 100)).toBe(count * ROW - VIEW - 100)
    expect(scale.toList(100)).toBe(100)
  })

  it('goes there and back, never backwards', () => {
    const scale = scrollScale(5_000_000, ROW, VIEW)
    let last = -1
    for (let scrolled = 0; scrolled <= MOST_PIXELS - VIEW; scrolled += 99_991) {
      const top = scale.toList(scrolled)
      expect(top).toBeGreaterThan(last)
      expect(scale.toBar(top)).toBeCloseTo(scrolled, 3)
      last = top
    }
  })
})
