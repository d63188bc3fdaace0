/** Curves of a recording as lines of a chart. */

import { isOrdered, type Line, type Side, type Values } from '@/plot/curves'

export interface Series {
  readonly name: string
  readonly xs: readonly number[]
  /** Null where nothing is known. */
  readonly ys: readonly (number | null)[]
  readonly side?: Side
  /** A value holds until the next one, instead of a straight line towards it. */
  readonly isStairs?: boolean
  /** How a value is told. */
  readonly tell: (value: number) => string
}

export interface SeriesValues extends Values {
  readonly series: Series
}

interface Points {
  readonly xs: readonly number[]
  readonly ys: readonly number[]
}

const present = ({ xs, ys }: Series): Points => ({
  xs: xs.filter((_, i) => ys[i] !== null),
  ys: ys.filter((y) => y !== null),
})

/** The corners of a curve whose values hold until the next one. */
export function stairs(xs: readonly number[], ys: readonly number[]): Points {
  const corners = xs.slice(1).flatMap((x, i) => [
    { x, y: ys[i]! },
    { x, y: ys[i + 1]! },
  ])
  const all = xs.length > 0 ? [{ x: xs[0]!, y: ys[0]! }, ...corners] : []
  return { xs: all.map(({ x }) => x), ys: all.map(({ y }) => y) }
}

export function linesOf(
  series: readonly Series[],
  colours: readonly string[],
): readonly Line<SeriesValues>[] {
  return series.map((one, i) => {
    const points = present(one)
    const drawn = one.isStairs ? stairs(points.xs, points.ys) : points
    const [xs, ys] = [Float64Array.from(drawn.xs), Float64Array.from(drawn.ys)]
    return {
      key: one.name,
      name: one.name,
      curve: { values: ys, series: one },
      colour: colours[i % colours.length]!,
      dash: [],
      side: one.side ?? 'left',
      breaks: [],
      xs,
      ys,
      isSmoothed: false,
      isOrdered: isOrdered(xs),
    }
  })
}

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** The unit in which sizes up to `most` bytes are drawn, and what one of it is. */
export function byteUnit(most: number): { readonly unit: string; readonly bytes: number } {
  let at = 0
  while (most >= 1024 && at < UNITS.length - 1) {
    most /= 1024
    at++
  }
  return { unit: UNITS[at]!, bytes: 1024 ** at }
}
