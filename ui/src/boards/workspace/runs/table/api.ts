/** The table of runs: one row per run, columns made of anything that is known of runs. */

import type { MetricChoice, RunColumn, RunGroupRow, RunRow, RunsTable as TableResponse } from '@rest'
import { sendJson } from '@/base/api/client'

/** The runs of a row that charts show: all but further ranks, whose curves look alike. */
export const runsOf = ({ run, sub_runs }: Pick<RunRow, 'run' | 'sub_runs'>): readonly string[] =>
  sub_runs?.filter((each) => each.role !== 'rank' || each.run === run).map((each) => each.run) ?? [run]

export type Direction = 'max' | 'min'
export type TableColumn = RunColumn
export type RunGroup = RunGroupRow
/** A value that runs are grouped by; null: runs without one. */
export type GroupValue = RunGroup['values'][number]
export type Scalar = RunRow['values'][string]

export interface MainMetric extends Pick<MetricChoice, 'column' | 'is_guess'> {
  readonly direction: Direction
}

/** Numbers are numbers, also those that JSON cannot hold. */
export interface TableRow extends Omit<RunRow, 'sparkline'> {
  readonly sparkline: readonly number[] | null
}

export interface RunsTable extends Omit<TableResponse, 'rows' | 'main_metric'> {
  readonly rows: readonly TableRow[]
  readonly main_metric: MainMetric | null
}

/** By column, as the service takes them. */
export type Where = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface TableQuery {
  readonly query: string
  readonly sort: readonly string[]
  /** null: those that the service suggests. */
  readonly columns: readonly string[] | null
  /** Conditions on columns, beside the query. */
  readonly where: Where
  /** Also archived and hidden runs. */
  readonly isWhole: boolean
  /** Sub-runs of one training are rows of their own. */
  readonly isSeparate?: boolean
}

const bodyOf = ({ query, where, sort, columns, isWhole, isSeparate = false }: TableQuery) => ({
  query,
  ...(Object.keys(where).length > 0 ? { where } : {}),
  sub_runs: isSeparate ? 'separate' : 'folded',
  sort: sort.join(','),
  ...(columns ? { columns } : {}),
  ...(isWhole ? { show: 'all' } : {}),
})

const toNumber = (value: Scalar): Scalar => (typeof value === 'string' ? Number(value) : value)

/** Numbers that JSON cannot hold come as text. */
function withNumbers(table: TableResponse): RunsTable {
  const numeric = new Set(
    table.columns.filter(({ type }) => type === 'int' || type === 'float').map(({ name }) => name),
  )
  const metric = table.main_metric
  return {
    ...table,
    main_metric: metric && { ...metric, direction: metric.direction === 'min' ? 'min' : 'max' },
    rows: table.rows.map((row) => ({
      ...row,
      values: Object.fromEntries(
        Object.entries(row.values).map(([name, value]) => [
          name,
          numeric.has(name) ? toNumber(value) : value,
        ]),
      ),
      sparkline: row.sparkline?.values.map(Number) ?? null,
    })),
  }
}

const request = async (body: Readonly<Record<string, unknown>>, signal?: AbortSignal): Promise<RunsTable> =>
  withNumbers(await sendJson('post', 'runs/table', body, signal))

export const fetchTable = (
  query: TableQuery,
  offset: number,
  limit: number,
  signal?: AbortSignal,
): Promise<RunsTable> => request({ ...bodyOf(query), offset, limit, sparkline: 'auto' }, signal)

const MOST_GROUPS = 2000
/** Of one group; who needs more narrows the query. */
const MOST_ROWS_OF_GROUP = 500

/** The groups, or the rows, within a group of some levels; the outermost groups for no values. */
export const fetchWithin = (
  query: TableQuery,
  groupBy: readonly string[],
  within: readonly GroupValue[],
  signal?: AbortSignal,
): Promise<RunsTable> =>
  request(
    {
      ...bodyOf(query),
      group_by: groupBy,
      within,
      limit: within.length < groupBy.length ? MOST_GROUPS : MOST_ROWS_OF_GROUP,
      sparkline: 'auto',
    },
    signal,
  )

/** The ids of the first `limit` matching runs, in order. */
export async function fetchRunIds(
  query: TableQuery,
  limit: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { rows } = await request({ ...bodyOf({ ...query, columns: ['run'] }), limit }, signal)
  return rows.flatMap(runsOf)
}

/** The rows of some runs, whether they match the query or not. */
export async function fetchRows(
  query: TableQuery,
  runs: readonly string[],
  signal?: AbortSignal,
): Promise<readonly TableRow[]> {
  const body = {
    ...bodyOf({ ...query, query: '', where: {}, sort: [], isWhole: true }),
    runs,
    limit: runs.length,
  }
  return (await request({ ...body, sparkline: 'auto' }, signal)).rows
}
/** The rows of sub-runs that are shown in those of their trainings. */
export const fetchSubRuns = (
  query: TableQuery,
  runs: readonly string[],
  signal?: AbortSignal,
): Promise<readonly TableRow[]> => fetchRows({ ...query, isSeparate: true }, runs, signal)

/** Columns by words of their names, beyond those that come with the rows. */
export const fetchColumns = async (
  query: TableQuery,
  search: string,
  signal?: AbortSignal,
): Promise<readonly TableColumn[]> =>
  (await request({ ...bodyOf(query), limit: 0, column_search: search }, signal)).columns

/** How many runs have each value of a column, whatever is filtered. */
export async function fetchCounts(
  column: string,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const query = { query: '', where: {}, sort: [], columns: [column], isWhole: false }
  const { groups } = await fetchWithin(query, [column], [], signal)
  return new Map(groups.map(({ values, n }) => [String(values[0]), n]))
}

/** Rank runs by this column from now on, for everybody on this server. */
export async function saveMainMetric(column: string, direction: Direction): Promise<void> {
  await sendJson('put', 'runs/table/main-metric', { column, direction })
}
