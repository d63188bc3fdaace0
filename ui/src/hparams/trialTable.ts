/** Sessions as rows of a table: which are shown, in which order, and how their values are written. */

import type { Trial, TrialColumn, Trials } from '@/api/hparams'
import { hasNumbers, nameOf, type Cell, type Column } from '@/axes/table'
import { formatValue } from '@/charts/numbers'

/** A column with its values, one for each session. */
export interface TableColumn extends Column {
  readonly info: TrialColumn
  readonly isNumber: boolean
}

export const cellOf = (trial: Trial, name: string): Cell => trial.values[name] ?? null

export function columnsOf({ columns, rows }: Trials): readonly TableColumn[] {
  return columns.map((info) => {
    const column = { key: info.name, label: info.label, values: rows.map((row) => cellOf(row, info.name)) }
    return { ...column, info, isNumber: hasNumbers(column) }
  })
}

/** Metrics that nobody named may be many; so many are shown at first. */
const UNNAMED_AT_FIRST = 8

export function shownAtFirst(columns: readonly TableColumn[]): readonly string[] {
  const named = columns.filter(({ info }) => info.group === 'hparam' || info.declared)
  const others = columns.filter((column) => !named.includes(column)).slice(0, UNNAMED_AT_FIRST)
  return [...named, ...others].map(({ key }) => key)
}

export const cellText = (cell: Cell): string => (cell === null ? '' : typeof cell === 'number' ? formatValue(cell) : nameOf(cell))

/** The sessions with every word of `search` in their name or values, and the columns that any of them has. */
export function found(trials: Trials, search: string): Trials {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return trials
  const rows = trials.rows.filter(({ session, values }) => {
    const text = [session, ...Object.values(values).map((value) => cellText(value))].join('\n').toLowerCase()
    return words.every((word) => text.includes(word))
  })
  return { ...trials, rows, columns: trials.columns.filter(({ name }) => rows.some(({ values }) => name in values)) }
}

const compareText = (a: string, b: string): number => a.localeCompare(b, undefined, { numeric: true })

function compareCells(a: Cell, b: Cell): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  if (typeof a === 'number' || typeof b === 'number') return typeof a === 'number' ? -1 : 1
  return compareText(nameOf(a), nameOf(b))
}

/** The sessions that `mask` lets pass, in the order `sort` asks for; those without a value come last either way. */
export function sorted({ rows }: Trials, columns: readonly TableColumn[], mask: Uint8Array, sort: string): readonly number[] {
  const shown = rows.map((_, at) => at).filter((at) => mask[at])
  const key = sort.replace(/^-/, '')
  const direction = sort.startsWith('-') ? -1 : 1
  const byName = (a: number, b: number): number => compareText(rows[a]!.session, rows[b]!.session)
  const values = columns.find((column) => column.key === key)?.values
  if (values) {
    const rank = (at: number): number => (values[at] === null ? 2 : Number.isNaN(values[at]) ? 1 : 0)
    return shown.sort((a, b) => rank(a) - rank(b) || (rank(a) === 0 ? direction * compareCells(values[a]!, values[b]!) : 0) || byName(a, b))
  }
  if (key === 'status') return shown.sort((a, b) => direction * compareText(rows[a]!.status, rows[b]!.status) || byName(a, b))
  if (key === 'started') return shown.sort((a, b) => direction * (rows[a]!.started_at - rows[b]!.started_at) || byName(a, b))
  return shown.sort((a, b) => direction * byName(a, b))
}

/** `keys` with those of `order` first, in that order. */
export const inOrder = (keys: readonly string[], order: readonly string[]): readonly string[] => [
  ...order.filter((key) => keys.includes(key)), ...keys.filter((key) => !order.includes(key)),
]

/** Text as a cell of CSV; what a spreadsheet would run as a formula is marked as text. */
function csvCell(text: string): string {
  const marked = /^[=+@\t\r]|^-(?![\d.]|Infinity)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(marked) ? `"${marked.replace(/"/g, '""')}"` : marked
}

/** The sessions `rows` with `columns`, exactly as they were logged. */
export function trialCsv(trials: Trials, columns: readonly TableColumn[], rows: readonly number[]): string {
  const head = ['session', 'status', 'started_at', 'ended_at', ...columns.map(({ info }) => `${info.group}.${info.label}`)]
  const lines = rows.map((at) => {
    const row = trials.rows[at]!
    return [row.session, row.status, String(row.started_at), row.ended_at === null ? '' : String(row.ended_at), ...columns.map(({ values }) => nameOf(values[at] ?? null))]
  })
  return [head, ...lines].map((line) => line.map(csvCell).join(',')).join('\n').concat('\n')
}
