/** Rows of values as axes show them: where a value lies on its axis, and which rows pass the filters. */

import { fraction, padded, valueAt, type Scale } from '@/plot/scale'
import { linearTicks, logTicks, type Ticks } from '@/plot/ticks'
import { formatCompact } from '@/base/numbers'
import { quantileValues, rankPart, valuesBetween } from './quantiles'

/** null: the row has no value. */
export type Cell = number | string | boolean | null

/** One value for each row; the rows are the same in all columns of a table. */
export interface Column {
  readonly key: string
  readonly label: string
  readonly values: readonly Cell[]
}

/** How numbers are spread over their axis: evenly, by their size, or by their rank. */
export type AxisScale = 'linear' | 'log' | 'quantile'

export interface NumberAxis {
  readonly kind: 'numbers'
  readonly column: Column
  readonly scale: Scale
  /** All numbers in order, where ranks are what counts. */
  readonly sorted: Float64Array | null
}

export interface NameAxis {
  readonly kind: 'names'
  readonly column: Column
  readonly names: readonly string[]
}

export type Axis = NumberAxis | NameAxis

/** Which values of a column are kept. */
export type Brush =
  | { readonly kind: 'range'; readonly lo: number; readonly hi: number }
  | { readonly kind: 'names'; readonly names: readonly string[] }

/** By key of the column. */
export type Brushes = ReadonlyMap<string, Brush>

export const nameOf = (cell: Cell): string => (cell === null ? '' : String(cell))

/** Whether every value there is a number, so that an axis of numbers can show them. */
export const hasNumbers = ({ values }: Column): boolean =>
  values.some((cell) => cell !== null) && values.every((cell) => cell === null || typeof cell === 'number')

export const canBeLog = (column: Column): boolean =>
  hasNumbers(column) &&
  column.values.every((cell) => cell === null || !Number.isFinite(cell) || Number(cell) > 0)

/** The scales that an axis of the column may have; none for names. */
export const scalesOf = (column: Column): readonly AxisScale[] =>
  hasNumbers(column) ? ['linear', ...(canBeLog(column) ? (['log'] as const) : []), 'quantile'] : []

const LOG_FROM = 100

/** Whether the numbers are of such different sizes that only a logarithmic axis tells them apart. */
export function isSpread(column: Column): boolean {
  if (!canBeLog(column)) return false
  const [lo, hi] = extentOf(column)
  return hi / lo >= LOG_FROM
}

export function extentOf({ values }: Column): readonly [number, number] {
  let [lo, hi] = [Infinity, -Infinity]
  for (const cell of values) {
    if (typeof cell !== 'number' || !Number.isFinite(cell)) continue
    if (cell < lo) lo = cell
    if (cell > hi) hi = cell
  }
  return [lo, hi]
}

export function axisOf(column: Column, wanted: AxisScale = 'linear'): Axis {
  if (!hasNumbers(column)) {
    const names = [...new Set(column.values.filter((cell) => cell !== null).map(nameOf))]
    return {
      kind: 'names',
      column,
      names: names.sort((a, b) => a.localeCompare(b, undefined, { numeric: true })),
    }
  }
  const [lo, hi] = extentOf(column)
  if (lo > hi) return { kind: 'numbers', column, scale: { lo: 0, hi: 1, isLog: false }, sorted: null }
  const isLogPossible = wanted === 'log' && lo > 0
  const sorted =
    wanted === 'quantile'
      ? Float64Array.from(
          column.values.filter((cell): cell is number => typeof cell === 'number' && Number.isFinite(cell)),
        ).sort()
      : null
  // The ends of an axis are its smallest and largest value; a single value stands in the middle.
  return {
    kind: 'numbers',
    column,
    scale: lo === hi ? padded([lo, hi], isLogPossible) : { lo, hi, isLog: isLogPossible },
    sorted,
  }
}

const placeOf = ({ scale, sorted }: NumberAxis, value: number): number =>
  sorted ? rankPart(sorted, value) : fraction(scale, value)

/** Where a value lies on its axis: 0 at one end, 1 at the other; NaN when it has no place there. */
export function partOf(axis: Axis, cell: Cell): number {
  if (cell === null) return NaN
  if (axis.kind === 'numbers')
    return typeof cell === 'number' && Number.isFinite(cell) ? placeOf(axis, cell) : NaN
  const at = axis.names.indexOf(nameOf(cell))
  return at < 0 ? NaN : partOfName(axis, at)
}

/** Names stand in the middle of equal shares of the axis. */
export const partOfName = (axis: NameAxis, at: number): number => (at + 0.5) / axis.names.length

/** The places of all rows on an axis, as `partOf` gives them. */
export function partsOf(axis: Axis): Float64Array {
  const { values } = axis.column
  if (axis.kind === 'numbers') return Float64Array.from(values, (cell) => partOf(axis, cell))
  const places = new Map(axis.names.map((name, at) => [name, partOfName(axis, at)]))
  return Float64Array.from(values, (cell) => (cell === null ? NaN : (places.get(nameOf(cell)) ?? NaN)))
}

const MOST_OWN_TICKS = 8

/** Ticks of an axis; where there are few numbers, these themselves. */
export function axisTicks(axis: Axis, count: number): Ticks & { readonly parts: readonly number[] } {
  if (axis.kind === 'names') {
    return {
      values: axis.names.map((_, at) => at),
      labels: axis.names,
      parts: axis.names.map((_, at) => partOfName(axis, at)),
    }
  }
  const { scale, column, sorted } = axis
  const asThey = (values: readonly number[]): Ticks => ({
    values,
    labels: values.map((value) => formatCompact(value, 4)),
  })
  const own = [
    ...new Set(
      column.values.filter((cell): cell is number => typeof cell === 'number' && Number.isFinite(cell)),
    ),
  ].sort((a, b) => a - b)
  const ticks =
    own.length <= Math.min(MOST_OWN_TICKS, count)
      ? asThey(own)
      : sorted
        ? asThey(quantileValues(sorted, count))
        : scale.isLog
          ? logTicks(scale.lo, scale.hi, count)
          : linearTicks(scale.lo, scale.hi, count)
  return { ...ticks, parts: ticks.values.map((value) => placeOf(axis, value)) }
}

/** What a brush between two places of an axis keeps; null when that is nothing. */
export function brushOf(axis: Axis, one: number, other: number): Brush | null {
  const [low, high] = one < other ? [one, other] : [other, one]
  if (axis.kind === 'numbers' && axis.sorted) {
    const ends = valuesBetween(axis.sorted, low, high)
    return ends && { kind: 'range', lo: ends[0], hi: ends[1] }
  }
  if (axis.kind === 'numbers')
    return {
      kind: 'range',
      lo: valueAt(axis.scale, Math.max(0, low)),
      hi: valueAt(axis.scale, Math.min(1, high)),
    }
  const names = axis.names.filter((_, at) => partOfName(axis, at) >= low && partOfName(axis, at) <= high)
  return names.length > 0 ? { kind: 'names', names } : null
}

/** The stretches of an axis that a brush covers, as pairs of places. */
export function coveredBy(axis: Axis, brush: Brush): readonly (readonly [number, number])[] {
  if (axis.kind === 'numbers') {
    if (brush.kind !== 'range') return []
    const place = (value: number, end: number): number => {
      const part = placeOf(axis, value)
      return Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : end
    }
    return [[place(brush.lo, 0), place(brush.hi, 1)]]
  }
  if (brush.kind !== 'names') return []
  const half = 0.5 / axis.names.length
  return axis.names.flatMap((name, at) =>
    brush.names.includes(name) ? [[partOfName(axis, at) - half, partOfName(axis, at) + half] as const] : [],
  )
}

export function keeps(brush: Brush, cell: Cell): boolean {
  if (cell === null) return false
  if (brush.kind === 'names') return brush.names.includes(nameOf(cell))
  return typeof cell === 'number' && cell >= brush.lo && cell <= brush.hi
}

/** For each row 1 when every brush keeps it, else 0; brushes of columns that are not there count for nothing. */
export function kept(columns: readonly Column[], brushes: Brushes, rows: number): Uint8Array {
  const mask = new Uint8Array(rows).fill(1)
  for (const { key, values } of columns) {
    const brush = brushes.get(key)
    if (!brush) continue
    for (let row = 0; row < rows; row++) if (mask[row] && !keeps(brush, values[row] ?? null)) mask[row] = 0
  }
  return mask
}
