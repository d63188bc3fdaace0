import { describe, expect, it } from 'vitest'
import { bucketAt, percentile, rebin, valueExtent } from './buckets'
import { histogram } from './histogramSamples'

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0)

describe('rebin', () => {
  it('leaves buckets that fit the grid as they are', () => {
    expect([...rebin(histogram([0, 1, 2, 3], [4, 0, 7]), [0, 3], 3)]).toEqual([4, 0, 7])
  })

  it('shares a wide bucket by width', () => {
    expect([...rebin(histogram([0, 4], [8]), [0, 8], 4)]).toEqual([4, 4, 0, 0])
    expect([...rebin(histogram([1, 3], [10]), [0, 4], 2)]).toEqual([5, 5])
  })

  it('puts a bucket without width into one part', () => {
    expect([...rebin(histogram([2, 2], [5]), [0, 4], 4)]).toEqual([0, 0, 5, 0])
    expect([...rebin(histogram([4, 4], [5]), [0, 4], 4)]).toEqual([0, 0, 0, 5])
  })

  it('loses and invents no value, whatever the buckets', () => {
    let seed = 7
    const random = (): number => (seed = (seed * 16807) % 2147483647) / 2147483647
    for (let trial = 0; trial < 200; trial++) {
      const edges = Array.from(
        { length: 2 + Math.floor(random() * 40) },
        () => (random() - 0.5) * 10 ** (random() * 6 - 3),
      ).sort((a, b) => a - b)
      const found = histogram(
        edges,
        edges.slice(1).map(() => Math.floor(random() * 100)),
      )
      const parts = rebin(
        found,
        [edges[0]! - random(), edges.at(-1)! + random()],
        1 + Math.floor(random() * 90),
      )
      expect(sum(parts)).toBeCloseTo(sum(found.counts), 6)
      expect(parts.every((part) => part >= 0)).toBe(true)
    }
  })
})

describe('rebin of a part', () => {
  it('takes only what lies in it', () => {
    expect([...rebin(histogram([0, 1, 2, 3, 4], [1, 2, 4, 8]), [1, 3], 2)]).toEqual([2, 4])
    expect([...rebin(histogram([0, 4], [8]), [1, 3], 2)]).toEqual([2, 2])
    expect([...rebin(histogram([5, 5], [8]), [1, 3], 2)]).toEqual([0, 0])
  })
})

describe('percentile', () => {
  const found = histogram([0, 1, 2, 4], [0, 10, 10])

  it('goes from the first value to the last, past empty buckets', () => {
    expect(percentile(found, 0)).toBe(1)
    expect(percentile(found, 1)).toBe(4)
  })

  it('is even within a bucket', () => {
    expect(percentile(found, 0.25)).toBe(1.5)
    expect(percentile(found, 0.5)).toBe(2)
    expect(percentile(found, 0.75)).toBe(3)
  })

  it('knows the only value, and none', () => {
    expect(percentile(histogram([3, 3], [9]), 0.3)).toBe(3)
    expect(percentile(histogram([], []), 0.5)).toBeNaN()
  })
})

describe('bucketAt', () => {
  const found = histogram([0, 1, 2, 4], [1, 1, 1])

  it.each([
    [-0.1, -1],
    [0, 0],
    [0.99, 0],
    [1, 1],
    [3.9, 2],
    [4, 2],
    [4.1, -1],
  ])('finds the bucket of %s', (value, bucket) => {
    expect(bucketAt(found, value)).toBe(bucket)
  })

  it('finds none where there are none', () => {
    expect(bucketAt(histogram([], []), 0)).toBe(-1)
  })
})

describe('valueExtent', () => {
  it('spans all histograms that have buckets', () => {
    expect(valueExtent([histogram([0, 1], [1]), histogram([], []), histogram([-3, -2], [1])])).toEqual([
      -3, 1,
    ])
    expect(valueExtent([histogram([], [])])).toBeNull()
  })
})
