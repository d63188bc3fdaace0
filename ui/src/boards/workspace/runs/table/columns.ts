/** The columns of the table as TanStack Table needs them: widths by what they hold, and how a value is written. */

import { formatBytes, formatDuration, formatTime, formatValue } from '@/base/numbers'
import type { Scalar, TableColumn } from './api'

export const NAME = 'run'
export const LABELS = 'labels'
export const NOTE = 'note'
export const STATE = 'state'
/** Shown with the name rather than in columns of their own. */
export const BESIDE_NAME: readonly string[] = [NAME, 'display_name', STATE]

const TIMES: readonly string[] = ['created_at', 'updated_at', 'started_at', 'ended_at', 'last_activity']

export const isNumeric = ({ name, type }: Pick<TableColumn, 'name' | 'type'>): boolean =>
  (type === 'int' || type === 'float') && !TIMES.includes(name)

/** Numbers with up to five digits: more are read on the page of the run and copied from the hint. */
export function cellText(name: string, value: Scalar | undefined): string {
  if (value === undefined) return '–'
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (TIMES.includes(name)) return formatTime(value)
  if (name === 'duration') return formatDuration(value)
  if (name === 'bytes' || name === 'model_size') return formatBytes(value)
  return formatValue(value, 5)
}

export const NAME_WIDTH = 268
/** What a sparkline adds to the width of its column. */
export const SPARK_WIDTH = 60
export const NAME_MIN_WIDTH = 140

/** A first guess by the kind of the values; people drag it. */
export function widthOf({ name, label, type }: TableColumn): number {
  if (name === NOTE) return 160
  if (TIMES.includes(name)) return 150
  const heading = 7.4 * Math.min(label.length, 20) + 30
  const least = type === 'text' ? 92 : type === 'float' ? 88 : 72
  return Math.round(Math.max(least, Math.min(heading, 170)))
}
