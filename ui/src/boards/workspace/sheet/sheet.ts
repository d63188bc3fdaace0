/** Runs or sessions as rows of a sheet: columns in groups, which rows are shown, in which order, how values are written. */

import { formatValue } from '@/base/numbers'
import { hasNumbers, nameOf, type Cell, type Column } from './axes/axisTable'

/** A column with its values, one for each row. */
export interface SheetColumn extends Column {
  readonly group: string
  readonly isNumber: boolean
  /** What it is called below the name of its group. */
  readonly short?: string
  /** What there is to know about it, for those who point at it. */
  readonly hint: string
  /** How a value is written, where it is otherwise than usual. */
  readonly format?: (cell: Cell) => string
}

export interface SheetRow {
  readonly id: string
  readonly name: string
  /** All runs with its data, its own first. */
  readonly runs: readonly string[]
}

export interface Sheet {
  readonly columns: readonly SheetColumn[]
  readonly rows: readonly SheetRow[]
}

/** A kind of columns, as people call it. */
export interface ColumnGroup {
  readonly group: string
  readonly label: string
}

export const EMPTY_SHEET: Sheet = { columns: [], rows: [] }

/** The key of the name, for those who sort by it. */
export const NAME = 'name'

export function columnOf(
  column: Column & {
    readonly group: string
    readonly hint?: string
    readonly short?: string
    readonly format?: (cell: Cell) => string
  },
): SheetColumn {
  return { hint: '', ...column, isNumber: hasNumbers(column) }
}

export const cellText = (cell: Cell): string =>
  cell === null ? '' : typeof cell === 'number' ? formatValue(cell) : nameOf(cell)

export const textIn = (column: SheetColumn, row: number): string => {
  const cell = column.values[row] ?? null
  return cell !== null && column.format ? column.format(cell) : cellText(cell)
}

/** Made once: `localeCompare` makes one for every pair. */
const { compare: compareText } = new Intl.Collator(undefined, { numeric: true })

function compareCells(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1
  return compareText(nameOf(a), nameOf(b))
}

/** The rows that `mask` lets pass, in the order `sort` asks for; those without a value come last either way. */
export function sorted({ rows, columns }: Sheet, mask: Uint8Array, sort: string): readonly number[] {
  const shown = rows.map((_, at) => at).filter((at) => mask[at])
  const key = sort.replace(/^-/, '')
  const direction = sort.startsWith('-') ? -1 : 1
  const byName = (a: number, b: number): number => compareText(rows[a]!.name, rows[b]!.name)
  const values = columns.find((column) => column.key === key)?.values
  if (!values) return shown.sort((a, b) => direction * byName(a, b))
  const rank = (at: number): number => (values[at] === null ? 2 : Number.isNaN(values[at]) ? 1 : 0)
  return shown.sort(
    (a, b) =>
      rank(a) - rank(b) ||
      (rank(a) === 0 ? direction * compareCells(values[a]!, values[b]!) : 0) ||
      byName(a, b),
  )
}

/** `keys` with those of `order` first, in that order. */
export const inOrder = (keys: readonly string[], order: readonly string[]): readonly string[] => [
  ...order.filter((key) => keys.includes(key)),
  ...keys.filter((key) => !order.includes(key)),
]

/** Text as a cell of CSV; what a spreadsheet would run as a formula is marked as text. */
export function csvCell(text: string): string {
  const marked = /^[=+@\t\r]|^-(?![\d.]|Infinity)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(marked) ? `"${marked.replace(/"/g, '""')}"` : marked
}

/** The rows at `places` with `columns`, exactly as they were logged; `name` is what rows are called. */
export function sheetCsv(
  { rows }: Sheet,
  columns: readonly SheetColumn[],
  places: readonly number[],
  name: string,
): string {
  const head = [name, ...columns.map(({ key }) => key)]
  const lines = places.map((at) => [
    rows[at]!.name,
    ...columns.map(({ values }) => nameOf(values[at] ?? null)),
  ])
  return [head, ...lines]
    .map((line) => line.map(csvCell).join(','))
    .join('\n')
    .concat('\n')
}
