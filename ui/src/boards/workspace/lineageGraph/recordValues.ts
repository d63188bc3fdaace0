/** How values of lineage are written, and how those of a record are grouped. */

import { formatValue } from '@/base/numbers'
import type { LineageRecord } from './api'

/** A value as people read it; empty where there is none. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return formatValue(value)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export type RecordPart = 'parameters' | 'metrics' | 'data' | 'code' | 'environment'

export interface Entry {
  readonly name: string
  readonly value: unknown
}

const GROUPS: Readonly<Record<string, RecordPart>> = {
  metric: 'metrics',
  data: 'data',
  hparam: 'parameters',
  user_defined: 'parameters',
  model: 'parameters',
}
const DATA_COLUMNS = /^(train|test)_dataset_/
/** Shown by themselves, as they are long. */
export const LONG = ['diff', 'packages', 'command']

/** All that is known of a run, by what it is about; names without their groups where that leaves no two alike. */
export function partsOf({
  values,
  code,
  environment,
}: LineageRecord): Readonly<Record<RecordPart, readonly Entry[]>> {
  const shortOf = (column: string): string => column.slice(column.indexOf('/') + 1)
  const taken = new Map<string, number>()
  for (const column of Object.keys(values)) taken.set(shortOf(column), (taken.get(shortOf(column)) ?? 0) + 1)
  const parts: Record<RecordPart, Entry[]> = {
    parameters: [],
    metrics: [],
    data: [],
    code: [],
    environment: [],
  }
  for (const [column, value] of Object.entries(values)) {
    const [group, ...rest] = column.split('/')
    if (group === 'code' || group === 'environment') continue
    const part = rest.length > 0 ? GROUPS[group!] : undefined
    parts[part ?? (DATA_COLUMNS.test(column) ? 'data' : column === 'loss' ? 'metrics' : 'parameters')].push({
      name: part && taken.get(shortOf(column)) === 1 ? shortOf(column) : column,
      value,
    })
  }
  parts.code = flat(code)
  parts.environment = flat(environment)
  return parts
}

function flat(values: Readonly<Record<string, unknown>>, before = ''): Entry[] {
  return Object.entries(values).flatMap(([name, value]): Entry[] => {
    if (before === '' && LONG.includes(name)) return []
    const isNested = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isNested
      ? flat(value as Readonly<Record<string, unknown>>, `${before}${name}/`)
      : [{ name: before + name, value }]
  })
}
