import { askJson } from './client'

/** null: the session has no value there. */
export type Setting = number | string | boolean

export type ColumnType = 'int' | 'float' | 'text' | 'bool' | 'mixed'

/** A hyper-parameter or a metric. */
export interface TrialColumn {
  readonly name: string
  readonly label: string
  readonly group: 'hparam' | 'metric'
  readonly type: ColumnType
  readonly domain: readonly Setting[] | { readonly min: number | string; readonly max: number | string } | null
  readonly description: string
  /** The experiment names it; else it was found in the logs. */
  readonly declared: boolean
}

/** One session of an experiment. */
export interface Trial {
  readonly run: string
  readonly session: string
  /** All runs with data of the session, its own first. */
  readonly runs: readonly string[]
  readonly group: string
  readonly status: 'unknown' | 'success' | 'failure' | 'running'
  readonly started_at: number
  readonly ended_at: number | null
  readonly values: Readonly<Record<string, Setting>>
}

export interface Trials {
  readonly columns: readonly TrialColumn[]
  readonly rows: readonly Trial[]
  readonly errors: readonly { readonly run: string; readonly message: string }[]
}

/** Which value of its curve stands for a metric. */
export type Reduction = 'last' | 'min' | 'max'

/** The sessions of some runs, or of all. */
export async function fetchTrials(runs: readonly string[] | null, metric: Reduction, signal?: AbortSignal): Promise<Trials> {
  const found = (await askJson('hparams', { run: runs ?? undefined, metric }, signal)) as Trials
  const numbers = new Set(found.columns.filter(({ type }) => type === 'int' || type === 'float').map(({ name }) => name))
  // Numbers that JSON does not have come as text.
  const read = (name: string, value: Setting): Setting => (typeof value === 'string' && numbers.has(name) ? Number(value) : value)
  const rows = found.rows.map((row) => ({ ...row, values: Object.fromEntries(Object.entries(row.values).map(([name, value]) => [name, read(name, value)])) }))
  return { ...found, rows }
}
