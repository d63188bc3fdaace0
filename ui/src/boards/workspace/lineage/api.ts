import type {
  DatasetRow,
  DatasetTable,
  ImportanceRanking,
  LineageColumn,
  ModelRow,
  ModelTable,
  ParameterImportance,
  QueryCompletion,
  QuerySuggestion,
  RunAnnotation,
} from '@rest'
import { askJson, sendForBytes, sendJson } from '@/base/api/client'

/** The table of models, or that of data processing. */
export type LineageTable = 'models' | 'datasets'

export type { LineageColumn }
type Setting = ModelRow['values'][string]
type OfOneTable = Pick<ModelRow, 'has_lineage'> & Pick<DatasetRow, 'shared_by'>
/** A row of either table. */
export type LineageRow = Omit<ModelRow, keyof OfOneTable> & Partial<OfOneTable>
export type LineageAnswer = Omit<ModelTable | DatasetTable, 'rows'> & { readonly rows: readonly LineageRow[] }
export type Suggestion = QuerySuggestion
export type Completion = QueryCompletion
export type Importance = ParameterImportance
export type Importances = ImportanceRanking
export type Annotation = RunAnnotation

export interface LineageQuery {
  readonly query: string
  readonly columns?: readonly string[]
  readonly limit: number
}

/** Runs with what is known of them; raises when the query cannot be understood. */
export async function fetchLineage(
  table: LineageTable,
  asked: LineageQuery,
  signal?: AbortSignal,
): Promise<LineageAnswer> {
  const found = await sendJson('post', `lineage/${table}`, { ...asked }, signal)
  const numbers = new Set(
    found.columns.filter(({ type }) => type === 'int' || type === 'float').map(({ name }) => name),
  )
  // Numbers that JSON does not have come as text.
  const read = (name: string, value: Setting): Setting =>
    typeof value === 'string' && numbers.has(name) ? Number(value) : value
  const rows = found.rows.map((row: LineageRow) => ({
    ...row,
    values: Object.fromEntries(Object.entries(row.values).map(([name, value]) => [name, read(name, value)])),
  }))
  return { ...found, rows }
}

/** The service counts characters; here those beyond the first 65,536, such as rare Chinese ones, count twice. */
export const placeIn = (text: string, characters: number): number =>
  [...text].slice(0, characters).join('').length

export async function fetchCompletion(
  text: string,
  cursor: number,
  signal?: AbortSignal,
): Promise<Completion> {
  const found = await askJson(
    'lineage/complete',
    { table: 'runs', text, cursor: [...text.slice(0, cursor)].length },
    signal,
  )
  return { ...found, begin: placeIn(text, found.begin), end: placeIn(text, found.end) }
}

export async function fetchImportances(
  target: string,
  query: string,
  signal?: AbortSignal,
): Promise<Importances> {
  return askJson('lineage/importance', { target, query: query || undefined }, signal)
}

export const EXPORTS = ['csv', 'json', 'parquet', 'openlineage'] as const

/** The runs that query and conditions keep as a file: all that was recorded of them, and columns made of scalars. */
export async function fetchExport(
  format: (typeof EXPORTS)[number],
  query: string,
  where: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  scalars: readonly string[],
): Promise<Blob> {
  return new Blob([await sendForBytes('lineage/export', { format, query, where, scalars })])
}

/** A new note with the version of the one that it replaces, and labels that come or go. */
export type AnnotationPatch =
  | { readonly note: string; readonly note_version: number }
  | { readonly add_labels: readonly string[]; readonly remove_labels: readonly string[] }

/** Change what people say of a run. */
export async function annotate(run: string, patch: AnnotationPatch): Promise<Annotation> {
  return sendJson('patch', ['runs/{run_id}', run], { ...patch })
}
