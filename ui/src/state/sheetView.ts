/** What a sheet of rows and columns shows, as a value and as part of an address. */

import type { AxisScale, Brush, Brushes } from '@/axes/table'
import { readChoice, readList, readMap, writeChoice, writeList } from './address'

export type Tab = 'table' | 'parallel' | 'scatter'

export interface SheetView {
  readonly tab: Tab
  /** Chosen runs; null: nothing chosen yet. */
  readonly runs: readonly string[] | null
  /** A column, with a `-` before it to run backwards; empty: by name. */
  readonly sort: string
  /** Columns that are shown; null: those that are at first. */
  readonly columns: readonly string[] | null
  /** Columns whose axes come first, in this order. */
  readonly order: readonly string[]
  readonly brushes: Brushes
  /** Where people want an axis otherwise than it is at first. */
  readonly scales: ReadonlyMap<string, AxisScale>
  /** The column that colours; empty: none; null: the one that does at first. */
  readonly colour: string | null
}

export const EMPTY_SHEET_VIEW: SheetView = {
  tab: 'table', runs: null, sort: '', columns: null, order: [], brushes: new Map(), scales: new Map(), colour: null,
}

const TABS: Readonly<Record<string, Tab>> = { table: 'table', parallel: 'parallel', scatter: 'scatter' }

const SCALES: Readonly<Record<string, AxisScale>> = { linear: 'linear', log: 'log', quantile: 'quantile' }

function writeBrush(brush: Brush): string {
  return brush.kind === 'range' ? `${brush.lo}~${brush.hi}` : `=${brush.names.map(encodeURIComponent).join('|')}`
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

/** Defaults are left out. */
export function writeSheetView(query: URLSearchParams, view: SheetView): void {
  if (view.tab !== 'table') query.append('tab', view.tab)
  writeChoice(query, 'run', view.runs)
  if (view.sort) query.append('sort', view.sort)
  writeChoice(query, 'col', view.columns)
  writeList(query, 'axis', view.order)
  for (const [key, brush] of view.brushes) query.append('keep', `${writeBrush(brush)}@${key}`)
  for (const [key, scale] of view.scales) query.append('scale', `${scale}@${key}`)
  if (view.colour !== null) query.append('colour', view.colour)
}

/** What cannot be understood is left at its default. */
export function readSheetView(given: URLSearchParams): SheetView {
  return {
    tab: TABS[given.get('tab') ?? ''] ?? 'table',
    runs: readChoice(given, 'run'),
    sort: given.get('sort') ?? '',
    columns: readChoice(given, 'col'),
    order: readList(given, 'axis'),
    brushes: readMap(readList(given, 'keep'), readBrush),
    scales: readMap(readList(given, 'scale'), (text) => SCALES[text] ?? null),
    colour: given.get('colour'),
  }
}
