/** What the page of a run asks the service for: its values, those of its parent, and the best of all runs. */

import type * as rest from '@rest'
import { getJson, sendJson, type Body } from '@/base/api/client'
import { SCALARS } from './valueOrder'

export type TableColumn = rest.RunColumn
export type Conflict = rest.ConflictingValue
export type MainMetric = rest.MetricChoice
export type Scalar = Conflict['value']

/** What is known of a run, beside its parent and the best of all runs. */
export interface RunValues extends Pick<rest.RunRow, 'run' | 'values' | 'conflicts'> {
  readonly columns: readonly TableColumn[]
  readonly metric: MainMetric | null
  readonly best: { readonly run: string; readonly value: Scalar | undefined; readonly of: number } | null
  /** The values of the run that it was resumed or fine-tuned from. */
  readonly parent: rest.RunRow['values'] | null
}

const MOST_COLUMNS = 500

const askTable = (body: Body<'runs/table', 'post'>, signal: AbortSignal): Promise<rest.RunsTable> =>
  sendJson('post', 'runs/table', { show: 'all', ...body }, signal)

async function parentOf(run: string, signal: AbortSignal): Promise<string | null> {
  const { nodes, edges } = await getJson(['lineage/graph/{run}', run], { depth: 1 }, signal)
  const runs = new Set(nodes.filter(({ kind, run }) => kind === 'run' && run).map(({ id }) => id))
  return (
    edges.find(({ source, target }) => target === run && source !== run && runs.has(source))?.source ?? null
  )
}

export async function fetchValues(run: string, hasLineage: boolean, signal: AbortSignal): Promise<RunValues> {
  const [{ columns, main_metric: metric }, parent] = await Promise.all([
    askTable({ runs: [run], limit: 0, column_limit: MOST_COLUMNS }, signal),
    hasLineage ? parentOf(run, signal) : null,
  ])
  const own = await askTable(
    {
      runs: [run, ...(parent === null ? [] : [parent])],
      columns: columns.filter(({ group }) => group !== SCALARS).map(({ name }) => name),
      column_limit: 0,
    },
    signal,
  )
  const rowOf = (id: string | null) => own.rows.find((row) => row.run === id)
  return {
    ...(rowOf(run) ?? { run, values: {} }),
    columns,
    metric,
    best: metric && (await bestBy(metric, columns, signal)),
    parent: rowOf(parent)?.values ?? null,
  }
}

async function bestBy(
  { column }: MainMetric,
  columns: readonly TableColumn[],
  signal: AbortSignal,
): Promise<RunValues['best']> {
  const { rows } = await askTable({ show: 'active', columns: [column], column_limit: 0, limit: 1 }, signal)
  const first = rows[0]
  const of = columns.find(({ name }) => name === column)?.count ?? 0
  return first ? { run: first.run, value: first.values[column], of } : null
}
