import { describe, expect, it } from 'vitest'
import { rampAt, rampColour } from './colourRamp'

describe('the colours for numbers', () => {
  it('become lighter all the way', () => {
    const light = (part: number): number =>
      rampAt(part).reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i]!, 0)
    for (let i = 1; i <= 50; i++) expect(light(i / 50)).toBeGreaterThan(light((i - 1) / 50))
  })

  it('end where the numbers end', () => {
    expect(rampColour(-3)).toBe(rampColour(0))
    expect(rampColour(7)).toBe(rampColour(1))
    expect(rampColour(0.5)).toBe('rgb(33 145 140)')
  })
})
