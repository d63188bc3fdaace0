import { askJson, sendForBytes, sendJson } from './client'
import type { ColumnType, Setting, TrialColumn } from './hparams'

/** The table of models, or that of data processing. */
export type LineageTable = 'models' | 'datasets'

export interface LineageColumn {
  readonly name: string
  readonly label: string
  readonly group: string
  readonly type: ColumnType
  /** Rows with a value. */
  readonly count: number
  /** What experiments allow: choices, or a range. */
  readonly domain?: TrialColumn['domain']
}

export interface LineageRow {
  readonly run: string
  readonly name: string
  readonly values: Readonly<Record<string, Setting>>
  /** How many runs have the very same pipeline; only in the table of data processing. */
  readonly shared_by?: number
  /** False: no more is known of it than what its files are; only in the table of models. */
  readonly has_lineage?: boolean
}

/** A comparison with a value of another kind than the column holds: it never matches. */
export interface VainComparison {
  readonly column: string
  readonly holds: readonly string[]
  readonly value: string
  readonly kind: string
}

export interface LineageAnswer {
  readonly total: number
  readonly columns: readonly LineageColumn[]
  readonly rows: readonly LineageRow[]
  readonly in_vain: readonly VainComparison[]
}

export interface LineageQuery {
  readonly query: string
  readonly columns?: readonly string[]
  readonly limit: number
}

/** Runs with what is known of them; raises when the query cannot be understood. */
export async function fetchLineage(table: LineageTable, asked: LineageQuery, signal?: AbortSignal): Promise<LineageAnswer> {
  const found = (await sendJson('POST', `lineage/${table}`, { ...asked }, signal)) as LineageAnswer
  const numbers = new Set(found.columns.filter(({ type }) => type === 'int' || type === 'float').map(({ name }) => name))
  // Numbers that JSON does not have come as text.
  const read = (name: string, value: Setting): Setting => (typeof value === 'string' && numbers.has(name) ? Number(value) : value)
  const rows = found.rows.map((row) => ({ ...row, values: Object.fromEntries(Object.entries(row.values).map(([name, value]) => [name, read(name, value)])) }))
  return { ...found, rows }
}

export interface Suggestion {
  readonly kind: string
  readonly text: string
  readonly label: string
}

export interface Completion {
  /** The part of the query that a suggestion replaces. */
  readonly begin: number
  readonly end: number
  readonly suggestions: readonly Suggestion[]
}

/** The service counts characters; here those beyond the first 65,536, such as rare Chinese ones, count twice. */
export const placeIn = (text: string, characters: number): number => [...text].slice(0, characters).join('').length

export async function fetchCompletion(table: LineageTable, text: string, cursor: number, signal?: AbortSignal): Promise<Completion> {
  const found = (await askJson('lineage/complete', { of: table, text, cursor: [...text.slice(0, cursor)].length }, signal)) as Completion
  return { ...found, begin: placeIn(text, found.begin), end: placeIn(text, found.end) }
}

export interface Importance {
  readonly name: string
  readonly importance: number | null
  readonly direction: number
  readonly runs: number
  readonly method: string
  readonly reason: string
}

export interface Importances {
  readonly target: string
  readonly runs: number
  readonly fewest_runs: number
  readonly method: string
  readonly parameters: readonly Importance[]
}

export async function fetchImportances(target: string, query: string, signal?: AbortSignal): Promise<Importances> {
  return (await askJson('lineage/importance', { target, query: query || undefined }, signal)) as Importances
}

export const EXPORTS = ['csv', 'json', 'parquet', 'openlineage'] as const

/** The table as a file, with columns made of scalars: the runs that a query keeps, of these only those of some names unless that is null. */
export async function fetchExport(format: (typeof EXPORTS)[number], query: string, scalars: readonly string[], names: readonly string[] | null): Promise<Blob> {
  return new Blob([await sendForBytes('lineage/export', { format, query, scalars, ...(names ? { where: { run: { in: names } } } : {}) })])
}

/** Change what people say of a run. */
export async function annotate(run: string, patch: { readonly note?: string; readonly labels?: readonly string[] }): Promise<void> {
  await sendJson('PATCH', `runs/${encodeURIComponent(run)}`, patch)
}
