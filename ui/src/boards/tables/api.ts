import type { Answer } from '@/base/api/client'
import { apiUrl, getJson } from '@/base/api/client'
import { fetchSteps, type StepsQuery } from '@/board/steps/api'
import type { Condition, Sort } from './tableView'

export type TablePage = Answer<'tables/rows'>
export type CellFile = TablePage['files'][number]

export interface TablePlace {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly step: number
}

/** Which rows are wanted, in which order. */
export interface Wanted {
  readonly find: string
  readonly sort: Sort | null
  readonly condition: Condition | null
}

/** A row of a page. */
export interface TableRow {
  readonly number: number
  readonly cells: readonly unknown[]
  readonly files: ReadonlyMap<number, CellFile>
}

/** When tables were logged. */
export async function fetchTableSteps(
  query: Omit<StepsQuery, 'kind'>,
  signal?: AbortSignal,
): Promise<
  readonly {
    readonly run: string
    readonly tag: string
    readonly source: string
    readonly items: readonly { step: number }[]
  }[]
> {
  const series = await fetchSteps({ ...query, kind: 'tables' }, signal)
  return series.map(({ run, tag, source, steps }) => ({
    run,
    tag,
    source,
    items: steps.map((step) => ({ step })),
  }))
}

/** What a table without such a column does not take is left out. */
function parametersOf(place: TablePlace, wanted: Wanted, columns: readonly string[]) {
  const { find, sort, condition } = wanted
  const sortedBy = sort ? columns.indexOf(sort.column) : -1
  const chosen = condition && condition.value !== '' ? columns.indexOf(condition.column) : -1
  const conditions = [
    ...(find === '' ? [] : [{ is: 'contains', value: find }]),
    ...(chosen < 0 ? [] : [{ column: chosen, is: condition!.comparison, value: condition!.value }]),
  ]
  return {
    run: place.run,
    tag: place.tag,
    source: place.source || undefined,
    step: place.step,
    filter: conditions.length > 0 ? JSON.stringify(conditions) : undefined,
    sort: sortedBy < 0 ? undefined : sortedBy,
    order: sortedBy >= 0 && sort!.isDescending ? 'descending' : undefined,
  }
}

export async function fetchHead(place: TablePlace, signal?: AbortSignal): Promise<TablePage> {
  return getJson('tables/rows', { ...parametersOf(place, NOTHING_WANTED, []), limit: 0 }, signal)
}

const NOTHING_WANTED: Wanted = { find: '', sort: null, condition: null }

export async function fetchRows(
  place: TablePlace,
  wanted: Wanted,
  columns: readonly string[],
  range: { readonly offset: number; readonly limit: number },
  signal?: AbortSignal,
): Promise<TablePage> {
  return getJson('tables/rows', { ...parametersOf(place, wanted, columns), ...range }, signal)
}

export const csvUrl = (place: TablePlace, wanted: Wanted, columns: readonly string[]): string =>
  apiUrl('tables/rows', { ...parametersOf(place, wanted, columns), format: 'csv' })

const rowsByPage = new WeakMap<TablePage, readonly TableRow[]>()

/** The rows of a page, with the files of each. */
export function rowsOf(page: TablePage): readonly TableRow[] {
  const known = rowsByPage.get(page)
  if (known) return known
  const files = page.rows.map(() => new Map<number, CellFile>())
  for (const file of page.files) files[file.row]?.set(file.column, file)
  const rows = page.rows.map((cells, i) => ({ number: page.numbers[i]!, cells, files: files[i]! }))
  rowsByPage.set(page, rows)
  return rows
}

/** A cell as people read it. */
export const cellText = (cell: unknown): string =>
  cell === null || cell === undefined ? '' : typeof cell === 'string' ? cell : JSON.stringify(cell)

const PICTURE = /\.(png|jpe?g|gif)$/i
const SOUND = /\.wav$/i

export const isPicture = ({ name }: CellFile): boolean => PICTURE.test(name)
export const isSound = ({ name }: CellFile): boolean => SOUND.test(name)
