/** Fewer points of curves, such that no peak is lost. */

import type { Line, Values } from '@/plot/curves'
import type { Plot } from '@/plot/plot'

/** The places of at most `most` points: of each stretch its first, smallest, largest and last. */
export function downsampledPositions(values: Float64Array, most: number): readonly number[] | null {
  const { length } = values
  if (length <= most) return null
  const stretches = Math.max(1, Math.floor(most / 4))
  const positions: number[] = []
  for (let part = 0; part < stretches; part++) {
    const from = Math.floor((part * length) / stretches)
    const to = Math.floor(((part + 1) * length) / stretches)
    let [low, high] = [from, from]
    for (let at = from; at < to; at++) {
      // What is no number is never smaller or larger, and gives way to the first that is.
      if (values[at]! < values[low]! || Number.isNaN(values[low]!)) low = at
      if (values[at]! > values[high]! || Number.isNaN(values[high]!)) high = at
    }
    positions.push(...[...new Set([from, low, high, to - 1])].sort((a, b) => a - b))
  }
  return positions
}

function downsampledLine(line: Line<Values>, most: number): Line<Values> {
  const places = downsampledPositions(line.ys, most)
  if (!places) return line
  const at = (values: Float64Array): Float64Array => Float64Array.from(places, (place) => values[place]!)
  const breaks = line.breaks
    .map((place) => places.findIndex((position) => position >= place))
    .filter((place) => place > 0)
  return { ...line, xs: at(line.xs), ys: at(line.ys), curve: { values: at(line.curve.values) }, breaks }
}

/** The plot with at most `most` points in each line. */
export function downsampledPlot(plot: Plot<Values>, most: number): Plot<Values> {
  if (most === Infinity) return plot
  const downsample = (line: Line<Values>): Line<Values> => downsampledLine(line, most)
  return {
    ...plot,
    lines: plot.lines.map(downsample),
    ...(plot.bands
      ? {
          bands: plot.bands.map(({ lower, upper, colour }) => ({
            lower: downsample(lower),
            upper: downsample(upper),
            colour,
          })),
        }
      : {}),
  }
}
