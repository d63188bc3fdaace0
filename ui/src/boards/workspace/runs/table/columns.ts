/** The columns of the table as TanStack Table needs them: widths by what they hold, and how a value is written. */

import { formatBytes, formatDuration, formatTime, formatValue } from '@/base/numbers'
import type { Scalar, TableColumn } from './api'

export const NAME = 'run'
export const LABELS = 'labels'
export const NOTE = 'note'
export const STATE = 'state'
/** The number of a run's data pipeline; equal pipelines share one. */
export const PIPELINE = 'dataset_mark'
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

/** The parts of a text at commas that stand in no brackets. */
function partsAt(text: string): readonly string[] {
  const parts: string[] = []
  let [begin, depth] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    if ('([{'.includes(text[at]!)) depth++
    else if (')]}'.includes(text[at]!)) depth--
    else if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(begin, at).trim())
      begin = at + 1
    }
  }
  return [...parts, text.slice(begin).trim()]
}

/** Lists and mappings of a data pipeline as people write them; other text as it is. */
function plainText(text: string): string {
  if (!/^[[{]/.test(text)) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 1)
      .replace(/\s*\n\s*/g, ' ')
      .replace(/^[[{] ?| ?[\]}]$/g, '')
      .replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => inner)
  } catch {
    return text
  }
}

/** An operation as people write its call; MindSpore writes arguments as one text of JSON. */
const callText = (text: string): string =>
  text.replace(/tensor_op_params=(\{.*\})/, (all, json: string) => {
    try {
      return Object.entries(JSON.parse(json) as object)
        .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(', ')
    } catch {
      return all
    }
  })

/** A value on as many lines as it takes: the operations of a data pipeline stand below each other. */
export function cellLines(
  { name, group }: Pick<TableColumn, 'name' | 'group'>,
  value: Scalar | undefined,
): readonly string[] {
  const text = cellText(name, value)
  if (group !== 'pipeline') return [text]
  return name.endsWith('.operations') ? partsAt(text).map(callText) : [plainText(text)]
}

export const NAME_WIDTH = 268
/** What a sparkline adds to the width of its column. */
export const SPARK_WIDTH = 60
export const NAME_MIN_WIDTH = 140

/** A first guess by the kind of the values; people drag it. */
export function widthOf({ name, label, type }: TableColumn): number {
  if (name.endsWith('.operations')) return 260
  if (name === PIPELINE) return 150
  if (name === NOTE) return 160
  if (TIMES.includes(name)) return 150
  // Chinese characters are about twice as wide.
  const letters = label.length + (label.match(/[\u2e80-\uffff]/g)?.length ?? 0)
  const heading = 7.4 * Math.min(letters, 20) + 30
  const least = type === 'text' ? 92 : type === 'float' ? 88 : 72
  return Math.round(Math.max(least, Math.min(heading, 170)))
}
