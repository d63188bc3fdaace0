/** What a sheet of rows and columns shows. */

import { byCard, fields, list, oneOf, optionalText, selection, text, type ViewOf } from '@/base/url/view'
import type { AxisScale, Brush } from './axes/axisTable'

const SCALES: readonly AxisScale[] = ['linear', 'log', 'quantile']

export const SHEET_FIELDS = fields({
  tab: oneOf('tab', ['table', 'parallel', 'scatter']),
  /** Selected runs; null: nothing selected yet. */
  runs: selection('run'),
  /** A column, with a `-` before it for descending order; empty: by name. */
  sort: text('sort'),
  /** Columns that are shown; null: the default ones. */
  columns: selection('col'),
  /** Columns whose axes come first, in this order. */
  order: list('axis'),
  brushes: byCard('keep', readBrush, writeBrush),
  /** Scales of axes that differ from their defaults. */
  scales: byCard('scale', (text) => SCALES.find((scale) => scale === text) ?? null),
  /** The column that colours; empty: none; null: the default one. */
  colour: optionalText('colour'),
})

export type SheetView = ViewOf<typeof SHEET_FIELDS>
export type Tab = SheetView['tab']

function writeBrush(brush: Brush): string {
  return brush.kind === 'range'
    ? `${brush.lo}~${brush.hi}`
    : `=${brush.names.map(encodeURIComponent).join('|')}`
}

function readBrush(text: string): Brush | null {
  if (text.startsWith('=')) {
    try {
      return { kind: 'names', names: text.slice(1).split('|').map(decodeURIComponent) }
    } catch {
      return null
    }
  }
  const [lo, hi] = text.split('~').map(Number)
  return lo !== undefined && hi !== undefined && lo <= hi ? { kind: 'range', lo, hi } : null
}
