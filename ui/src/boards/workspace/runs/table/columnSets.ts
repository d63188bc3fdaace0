/** Sets of columns for common questions; the columns that differ between runs are what the service suggests. */

import type { TableColumn } from './api'

export const COLUMN_SETS = ['models', 'data', 'hparams', 'scalars'] as const
export type ColumnSet = (typeof COLUMN_SETS)[number]

/** By group of columns, in the order of the table. */
const GROUPS: Readonly<Record<ColumnSet, readonly string[]>> = {
  models: ['metric', 'model', 'hparam', 'user_defined', 'data'],
  data: ['data', 'pipeline', 'metric'],
  hparams: ['hparam', 'metric'],
  scalars: ['scalar'],
}

/** More columns than this are selected one by one. */
const MOST_COLUMNS = 60

/** The columns of a set. Canonical fields stand for the columns that they are read from. */
export function columnsOfSet(set: ColumnSet, columns: readonly TableColumn[]): readonly string[] {
  const united = new Set(columns.flatMap(({ sources }) => sources.map(({ name }) => name)))
  return GROUPS[set]
    .flatMap((group) => columns.filter((column) => column.group === group && !united.has(column.name)))
    .map(({ name }) => name)
    .slice(0, MOST_COLUMNS)
}
