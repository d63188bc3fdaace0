import type { Trial, TrialColumn, TrialTable } from '@rest'
import { askJson } from '@/base/api/client'

export type { Trial, TrialColumn }
export type Trials = TrialTable
export type Setting = Trial['values'][string]
export type ColumnType = TrialColumn['type']

/** Which value of its curve stands for a metric. */
export type Reduction = 'last' | 'min' | 'max'

/** The sessions of some runs, or of all. */
export async function fetchTrials(
  runs: readonly string[] | null,
  metric: Reduction,
  signal?: AbortSignal,
): Promise<Trials> {
  const found = await askJson('hparams', { run: runs ?? undefined, metric }, signal)
  const numbers = new Set(
    found.columns.filter(({ type }) => type === 'int' || type === 'float').map(({ name }) => name),
  )
  // Numbers that JSON does not have come as text.
  const read = (name: string, value: Setting): Setting =>
    typeof value === 'string' && numbers.has(name) ? Number(value) : value
  const rows = found.rows.map((row) => ({
    ...row,
    values: Object.fromEntries(Object.entries(row.values).map(([name, value]) => [name, read(name, value)])),
  }))
  return { ...found, rows }
}
