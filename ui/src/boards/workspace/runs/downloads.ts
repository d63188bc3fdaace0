/** The table of runs as files. */

import { nameOf, type Cell } from '@/boards/workspace/sheet/axes/axisTable'
import { csvCell } from '@/boards/workspace/sheet/sheet'
import { fetchTable, type TableColumn, type TableQuery, type TableRow } from './table/api'

/** As many rows as the service gives at once. */
const PAGE = 10_000

/** All rows that a query keeps, in its order. */
export async function fetchAllRows(query: TableQuery): Promise<readonly TableRow[]> {
  const rows: TableRow[] = []
  for (let matching = Infinity; rows.length < matching;) {
    const page = await fetchTable(query, rows.length, PAGE)
    matching = page.rows.length > 0 ? page.matching : 0
    rows.push(...page.rows)
  }
  return rows
}

/** The rows with the shown columns, exactly as they were logged. */
export const tableCsv = (rows: readonly TableRow[], columns: readonly TableColumn[]): string =>
  [
    ['run', ...columns.map(({ name }) => name)],
    ...rows.map((row) => [
      row.name,
      ...columns.map(({ name }) => nameOf((row.values[name] as Cell | undefined) ?? null)),
    ]),
  ]
    .map((line) => `${line.map(csvCell).join(',')}\n`)
    .join('')
