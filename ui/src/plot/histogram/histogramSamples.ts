/** Histograms for tests. */

import type { Histogram } from './histogram'

export function histogram(
  edges: readonly number[],
  counts: readonly number[],
  more: Partial<Histogram> = {},
): Histogram {
  return {
    step: 0,
    wall: 0,
    count: counts.reduce((sum, count) => sum + count, 0),
    min: edges[0] ?? NaN,
    max: edges.at(-1) ?? NaN,
    sum: NaN,
    edges: Float64Array.from(edges),
    counts: Float64Array.from(counts),
    nan: 0,
    posInf: 0,
    negInf: 0,
    ...more,
  }
}
