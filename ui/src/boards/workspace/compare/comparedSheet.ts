/** The values of compared runs or groups as a sheet, with their differences from a baseline. */

import type { Cell } from '@/boards/workspace/sheet/axes/axisTable'
import { columnOf, type Sheet, type SheetColumn } from '@/boards/workspace/sheet/sheet'
import type { Reduction } from '@/boards/workspace/scalars/scalarView'
import { valueText } from './looks'
import type { ComparedRow, Named } from './queries/api'

export const ABOUT = 'about'

const NAMES = ['last', 'min', 'max'] as const
type Name = (typeof NAMES)[number]

export interface TableWords {
  readonly columns: Readonly<Record<string, string>>
  difference(name: string): string
  differenceHint(name: string): string
  readonly runsOf: string
  readonly noValue: string
}

const cellOf = (value: number | string | null | undefined): Cell =>
  value === null || value === undefined ? null : Number(value)

/** A change in percent, always with its sign. */
export function percentText(cell: Cell): string {
  const value = Number(cell)
  if (!Number.isFinite(value)) return String(cell)
  const size = Math.abs(value)
  const digits = size >= 1000 ? 0 : size >= 100 ? 1 : 2
  return `${value > 0 ? '+' : value < 0 ? '−' : '±'}${size.toFixed(digits)} %`
}

/** The columns of each tag are a group of that name. */
export function tableSheet(
  rows: readonly ComparedRow[],
  tags: readonly string[],
  of: Reduction,
  hasBaseline: boolean,
  words: TableWords,
): Sheet {
  const names: readonly Name[] = of === 'all' ? NAMES : [of]
  const columns: SheetColumn[] = []
  if (rows.some(({ runs }) => runs !== undefined)) {
    columns.push(
      columnOf({
        key: 'runs',
        label: words.runsOf,
        group: ABOUT,
        values: rows.map(({ runs }) => runs?.length ?? null),
      }),
    )
  }
  for (const tag of tags) {
    const values = (pick: (row: ComparedRow) => Named | undefined, name: Name): Cell[] =>
      rows.map((row) => cellOf(pick(row)?.[name]))
    for (const name of names) {
      const label = words.columns[name]!
      columns.push(
        columnOf({
          key: `${name}:${tag}`,
          label,
          group: tag,
          hint: `${tag} · ${label}`,
          values: values((row) => row.values[tag], name),
        }),
      )
      if (hasBaseline) {
        columns.push(
          columnOf({
            key: `Δ${name}:${tag}`,
            label: words.difference(label),
            group: tag,
            hint: `${tag} · ${words.differenceHint(label)}`,
            values: values((row) => row.differences[tag], name),
            format: percentText,
          }),
        )
      }
    }
  }
  return {
    columns,
    rows: rows.map(({ run, group, name, runs }) => ({
      id: run ?? group ?? '',
      name: run !== undefined ? name : valueText(name, words.noValue),
      runs: run !== undefined ? [run] : (runs ?? []),
    })),
  }
}
