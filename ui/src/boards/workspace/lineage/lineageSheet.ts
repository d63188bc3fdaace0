/** Runs with their lineage as a sheet. */

import type { LineageAnswer, LineageColumn, LineageRow } from './api'
import { formatBytes, formatTime } from '@/base/numbers'
import type { Cell } from '@/boards/workspace/sheet/axes/axisTable'
import { columnOf, type ColumnGroup, type Sheet, type SheetColumn } from '@/boards/workspace/sheet/sheet'

export const RESULTS = 'metric'
export const LABELS = 'labels'
export const NOTE = 'note'
/** In the order of the table. */
export const GROUPS = [
  'run',
  'metric',
  'model',
  'hparam',
  'user_defined',
  'data',
  'scalar',
  'pipeline',
  'code',
  'environment',
] as const
/** Columns that neither decide a result nor are one. */
export const PLAIN_GROUPS = ['run', 'code', 'environment'] as const

const TIMES = ['created_at', 'updated_at']
const NAME_COLUMN = 'run'
/** What few look at; everybody may show it. */
const HIDDEN_AT_FIRST = [
  'created_at',
  'dialects',
  'bytes',
  'parallel_mode',
  'train_dataset_path',
  'test_dataset_path',
]
const HIDDEN_GROUPS = ['code', 'environment']

/** Of columns of operators; those of one operator are a group of their own, with its name behind this. */
const PIPELINE = 'pipeline'
const MARK = 'dataset_mark'

/** The operator that a column is about. */
const operatorOf = (name: string): string => name.split('.')[0]!

export const isScalarColumn = (name: string): boolean => name.startsWith('scalar/')

/** Of operators: that they are there, and how they are run. */
const isMinor = (key: string, group: string): boolean =>
  group.startsWith(PIPELINE) &&
  (!key.includes('.') || /\.(connector_queue_size|num_parallel_workers)$/.test(key))

/** Which of the columns are shown when nobody has said so. */
export const shownAtFirst = (
  columns: readonly { readonly key: string; readonly group: string }[],
): readonly string[] =>
  columns
    .filter(
      ({ key, group }) =>
        !HIDDEN_AT_FIRST.includes(key) && !HIDDEN_GROUPS.includes(group) && !isMinor(key, group),
    )
    .map(({ key }) => key)

/** The same, of those that have something to show; people are always asked for labels and notes. */
export const filledAtFirst = (columns: readonly SheetColumn[]): readonly string[] =>
  shownAtFirst(
    columns.filter(
      ({ key, values }) => key === LABELS || key === NOTE || values.some((cell) => cell !== null),
    ),
  )

export const keyed = (
  columns: readonly LineageColumn[],
): readonly { readonly key: string; readonly group: string }[] =>
  columns.map(({ name, group }) => ({ key: name, group }))

/** What experiments allow, for those who point at a column. */
function domainText(domain: LineageColumn['domain'], words: SheetWords): readonly string[] {
  if (!domain) return []
  return [
    'min' in domain
      ? words.intervalOf(String(domain.min), String(domain.max))
      : words.domainOf(domain.join(', ')),
  ]
}

export interface SheetWords {
  readonly columns: Readonly<Record<string, string>>
  readonly groups: Readonly<Record<string, string>>
  readonly isThere: string
  marked(mark: string, count: number): string
  intervalOf(min: string, max: string): string
  domainOf(choices: string): string
}

/** Kinds of columns in the order of the table, with what they are called; every operator is a kind of its own. */
export function groupsOf(columns: readonly SheetColumn[], { groups }: SheetWords): readonly ColumnGroup[] {
  const operators = [
    ...new Set(columns.map(({ group }) => group).filter((group) => group.startsWith(`${PIPELINE}:`))),
  ]
  return GROUPS.flatMap((group) =>
    group === PIPELINE
      ? operators.map((each) => ({ group: each, label: each.slice(PIPELINE.length + 1) }))
      : [{ group, label: groups[group]! }],
  )
}

/** Where a column stands: under the name of its kind, with what it is called there. */
function placeOf(
  name: string,
  group: string,
  words: SheetWords,
): { readonly group: string; readonly short?: string } {
  if (isScalarColumn(name)) return { group: 'scalar' }
  if (group !== PIPELINE) return { group }
  const operator = operatorOf(name)
  return { group: `${PIPELINE}:${operator}`, short: name.slice(operator.length + 1) || words.isThere }
}

function formatOf(name: string): { readonly format?: (cell: Cell) => string } {
  if (TIMES.includes(name)) return { format: (cell) => formatTime(Number(cell)) }
  if (name === 'bytes' || name === 'model_size') return { format: (cell) => formatBytes(Number(cell)) }
  return {}
}

/** Whether a row of the table of models has nothing to say: neither lineage nor a scalar or a word of people that is asked for. */
export const isBare = ({ has_lineage, values }: LineageRow): boolean =>
  has_lineage === false &&
  Object.keys(values).every((name) => name !== LABELS && name !== NOTE && !isScalarColumn(name))

export function lineageSheet(
  { rows: found, columns }: LineageAnswer,
  all: readonly LineageColumn[],
  words: SheetWords,
  hasBare = true,
): Sheet {
  // In the table of data processing, runs without any have nothing to say.
  const rows = found.filter((row) => row.shared_by !== 0 && (hasBare || !isBare(row)))
  const asked = new Map(columns.map((column) => [column.name, column]))
  const people: LineageColumn[] = [LABELS, NOTE]
    .filter((name) => !all.some((column) => column.name === name))
    .map((name) => ({ name, label: name, group: 'run', type: 'text', count: 0, domain: null }))
  const known = [...people, ...all, ...columns.filter(({ name }) => isScalarColumn(name))].filter(
    ({ name }) => name !== NAME_COLUMN,
  )
  const sharing = new Map(
    rows.flatMap(({ values, shared_by }) =>
      shared_by === undefined ? [] : [[String(values[MARK]), shared_by] as const],
    ),
  )
  const markFormat =
    sharing.size > 0
      ? { format: (cell: Cell) => words.marked(String(cell), sharing.get(String(cell)) ?? 0) }
      : {}
  const shownColumns: SheetColumn[] = known.map(({ name, label, group, count, domain }) =>
    columnOf({
      key: name,
      label: words.columns[name] ?? label,
      hint: [name, count, ...domainText(domain, words)].join(' · '),
      ...placeOf(name, group, words),
      values: asked.has(name) ? rows.map(({ values }) => values[name] ?? null) : rows.map(() => null),
      ...(name === MARK ? markFormat : formatOf(name)),
    }),
  )
  return { columns: shownColumns, rows: rows.map(({ run, name }) => ({ id: run, name, runs: [run] })) }
}
