/** The values of a run in the order in which people ask for them: results, parameters, then all else. */

import type { Conflict, RunValues, Scalar, TableColumn } from './api'

/** Of columns made of scalars, which have charts of their own. */
export const SCALARS = 'scalar'
const METRIC = 'metric'
const PARAMETERS: readonly string[] = ['hparam', 'model', 'data', 'user_defined']
const SURROUNDINGS: readonly string[] = ['code', 'environment']
/** Fields of the surroundings that stand in the line above. */
const IN_HEAD: readonly string[] = ['host', 'user']

export interface RunValue {
  readonly column: TableColumn
  readonly value: Scalar
  /** The columns of this run that a canonical field was read from. */
  readonly sources: readonly string[]
  /** What its sources say where they disagree. */
  readonly conflicts: readonly Conflict[]
  /** What the parent has where that is something else. */
  readonly before: Scalar | undefined
}

export interface OrderedValues {
  /** The main metric first. */
  readonly metrics: readonly RunValue[]
  readonly parameters: readonly RunValue[]
  readonly surroundings: readonly RunValue[]
}

/** What canonical fields show stands under their names only. */
export function orderedValues({ columns, values, conflicts, parent, metric }: RunValues): OrderedValues {
  const raw = new Set(columns.filter((column) => column.is_field).flatMap(sourceNames))
  const rows = columns
    .filter(({ name, is_field }) => name in values && (is_field || !raw.has(name)))
    .map((column): RunValue => {
      const value = values[column.name]!
      const before = parent?.[column.name]
      return {
        column,
        value,
        sources: sourceNames(column).filter((name) => name in values || name.startsWith('scalar/')),
        conflicts: conflicts?.[column.name] ?? [],
        before: before === value ? undefined : before,
      }
    })
  const of = (groups: readonly string[]): readonly RunValue[] =>
    rows
      .filter(({ column }) => groups.includes(column.group) && !IN_HEAD.includes(column.name))
      .sort((a, b) => Number(b.column.is_field) - Number(a.column.is_field))
  const isMain = ({ column }: RunValue): number => Number(column.name === metric?.column)
  return {
    metrics: [...of([METRIC])].sort((a, b) => isMain(b) - isMain(a)),
    parameters: of(PARAMETERS),
    surroundings: of(SURROUNDINGS),
  }
}

const sourceNames = ({ sources, name }: TableColumn): readonly string[] =>
  sources.map((source) => source.name).filter((source) => source !== name)
