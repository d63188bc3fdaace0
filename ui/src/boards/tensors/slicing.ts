/** Which two axes of a tensor are rows and columns of its table, and at which place of the others. */

import type { Window } from './api'

export interface Slice {
  /** Number of the axis; null when the tensor has too few. */
  readonly rows: number | null
  readonly columns: number | null
  /** The place on each axis; that of rows and columns does not count. */
  readonly at: readonly number[]
}

/** How many rows and columns the table has. Vectors go on in the next row after `wrap` numbers. */
export interface Grid {
  readonly rows: number
  readonly columns: number
  readonly wrap: number | null
}

const WRAP = 10

/** The last two axes, at the beginning of the others. */
export function firstSlice(shape: readonly number[]): Slice {
  const rank = shape.length
  return { rows: rank > 1 ? rank - 2 : null, columns: rank > 0 ? rank - 1 : null, at: shape.map(() => 0) }
}

/** As text for addresses: `0.r.c.3`. */
export const writeSlice = ({ rows, columns, at }: Slice): string =>
  at.map((place, axis) => (axis === rows ? 'r' : axis === columns ? 'c' : place)).join('.')

/** The slice that `text` describes; the first one when it does not fit the shape. Places that are not there become the last. */
export function readSlice(text: string | undefined, shape: readonly number[]): Slice {
  const parts = text?.split('.') ?? []
  const [rows, columns] = [parts.indexOf('r'), parts.indexOf('c')]
  const isFitting =
    shape.length > 1 &&
    parts.length === shape.length &&
    rows >= 0 &&
    columns >= 0 &&
    parts.every((part) => /^(?:r|c|\d{1,15})$/.test(part))
  if (!isFitting) return firstSlice(shape)
  return {
    rows,
    columns,
    at: parts.map((part, axis) => Math.max(0, Math.min(shape[axis]! - 1, Number(part) || 0))),
  }
}

/** With another axis as rows or columns; the two change places when it is the other one. */
export function withAxis(slice: Slice, side: 'rows' | 'columns', axis: number): Slice {
  const other = side === 'rows' ? 'columns' : 'rows'
  return slice[other] === axis ? { ...slice, [side]: axis, [other]: slice[side] } : { ...slice, [side]: axis }
}

/** What the service calls it; its rows are always the earlier axis. */
export const indexOf = ({ rows, columns, at }: Slice): string =>
  at.map((place, axis) => (axis === rows || axis === columns ? ':' : place)).join(',')

/** Whether the service's rows are the columns here. */
export const isTurned = ({ rows, columns }: Slice): boolean =>
  rows !== null && columns !== null && rows > columns

export function gridOf(shape: readonly number[], { rows, columns }: Slice): Grid {
  if (shape.includes(0)) return { rows: 0, columns: 0, wrap: null }
  if (columns === null) return { rows: 1, columns: 1, wrap: null }
  if (rows === null)
    return { rows: Math.ceil(shape[columns]! / WRAP), columns: Math.min(WRAP, shape[columns]!), wrap: WRAP }
  return { rows: shape[rows]!, columns: shape[columns]!, wrap: null }
}

/** The full index of a cell; null behind the end of a vector. */
export function placeOf(
  shape: readonly number[],
  { rows, columns, at }: Slice,
  { wrap }: Grid,
  row: number,
  column: number,
): readonly number[] | null {
  if (wrap !== null) {
    const place = row * wrap + column
    return place < shape[0]! ? [place] : null
  }
  return at.map((place, axis) => (axis === rows ? row : axis === columns ? column : place))
}

/** What to ask the service for to get some cells. */
export function windowOf(slice: Slice, { wrap }: Grid, cells: Window): Window {
  if (wrap !== null) return { row: 0, rows: 1, column: cells.row * wrap, columns: cells.rows * wrap }
  return isTurned(slice)
    ? { row: cells.column, rows: cells.columns, column: cells.row, columns: cells.rows }
    : cells
}

/** The service's rows as those of the table. */
export function arranged<T>(
  slice: Slice,
  { wrap }: Grid,
  rows: readonly (readonly T[])[],
): readonly (readonly T[])[] {
  if (wrap !== null) {
    const all = rows[0] ?? []
    return Array.from({ length: Math.ceil(all.length / wrap) }, (_, i) => all.slice(i * wrap, (i + 1) * wrap))
  }
  if (!isTurned(slice)) return rows
  return Array.from({ length: rows[0]?.length ?? 0 }, (_, column) => rows.map((row) => row[column]!))
}
