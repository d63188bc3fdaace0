import { describe, expect, it } from 'vitest'
import { formatBytes, formatCompact, formatCount, formatDuration, formatValue, labelTicks } from './numbers'

const plain = (text: string): string => text.replace(/\u202f/g, ' ').replace(/−/g, '-')

describe('formatValue', () => {
  it.each([
    [0, '0'],
    [0.03125, '0.03125'],
    [12345.678, '12345.7'],
    [3e-7, '3e-7'],
    [-2.5, '-2.5'],
    [1e12, '1e12'],
    [123456789, '123456789'],
    [0.1 + 0.2, '0.3'],
    [NaN, 'NaN'],
    [Infinity, '∞'],
    [-Infinity, '-∞'],
  ])('writes %s as %s', (value, text) => expect(plain(formatValue(value))).toBe(text))
})

describe('formatCompact', () => {
  it.each([
    [1_200_000, '1.2 M'],
    [3e-4, '3e-4'],
    [15000, '15 k'],
    [1500, '1500'],
    [0.25, '0.25'],
    [-7e9, '-7 G'],
    [2e18, '2e18'],
  ])('writes %s as %s', (value, text) => expect(plain(formatCompact(value))).toBe(text))
})

describe('labelTicks', () => {
  it('gives all ticks of an axis the same decimals and unit', () => {
    expect(labelTicks([0, 0.5, 1]).map(plain)).toEqual(['0', '0.5', '1.0'])
    expect(labelTicks([0, 20000, 40000]).map(plain)).toEqual(['0', '20 k', '40 k'])
    expect(labelTicks([7.9e9, 7.95e9, 8e9]).map(plain)).toEqual(['7.90 G', '7.95 G', '8.00 G'])
    expect(labelTicks([0, 1e-4, 2e-4]).map(plain)).toEqual(['0', '1e-4', '2e-4'])
  })

  it('keeps ticks apart that differ only far behind the point', () => {
    const labels = labelTicks([1_000_000, 1_000_001, 1_000_002])

    expect(new Set(labels).size).toBe(3)
  })
})

describe('other numbers', () => {
  it('groups counts by threes', () => expect(plain(formatCount(1234567))).toBe('1 234 567'))
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1536, '1.5 KB'],
    [5e9, '4.7 GB'],
  ])('writes %s bytes as %s', (value, text) => expect(plain(formatBytes(value))).toBe(text))
  it.each([
    [0, '0 s'],
    [0.0123, '12.3 ms'],
    [59.94, '59.9 s'],
    [61, '1 min 1 s'],
    [7500, '2 h 5 min'],
    [90000, '1 d 1 h'],
    [-3, '-3 s'],
  ])('writes %s seconds as %s', (value, text) => expect(plain(formatDuration(value))).toBe(text))
})
