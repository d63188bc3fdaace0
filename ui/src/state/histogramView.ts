/** What a histogram board shows, as a value and as the query of an address. */

import type { AxisKind } from '@/charts/curves'
import type { Look } from '@/charts/ridges'
import { readAddress, readChoice, readList, writeAddress, writeChoice, writeList, type AddressParts } from './address'
import { readAxis } from './view'

export interface HistogramView {
  /** Chosen runs; null: nothing chosen yet, so the board decides. */
  readonly runs: readonly string[] | null
  readonly runFilter: string
  /** Ticked tags; null: all. */
  readonly tags: readonly string[] | null
  readonly tagFilter: string
  readonly axis: AxisKind
  readonly look: Look
  readonly pins: readonly string[]
  /** The card shown in full screen. */
  readonly full: string | null
}

export const EMPTY_HISTOGRAM_VIEW: HistogramView = {
  runs: null, runFilter: '', tags: null, tagFilter: '', axis: 'step', look: 'offset', pins: [], full: null,
}

const LOOKS: Readonly<Record<string, Look>> = { offset: 'offset', overlay: 'overlay', bands: 'bands' }

/** Defaults are left out. */
export function writeHistogramView(view: HistogramView): AddressParts {
  const query = new URLSearchParams()
  writeChoice(query, 'run', view.runs)
  if (view.runFilter) query.append('rf', view.runFilter)
  writeChoice(query, 'tag', view.tags)
  if (view.tagFilter) query.append('q', view.tagFilter)
  if (view.axis !== 'step') query.append('x', view.axis)
  if (view.look !== 'offset') query.append('look', view.look)
  writeList(query, 'pin', view.pins)
  if (view.full !== null) query.append('full', view.full)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readHistogramView(query: string, hash = ''): HistogramView {
  const given = readAddress(query, hash)
  return {
    runs: readChoice(given, 'run'),
    runFilter: given.get('rf') ?? '',
    tags: readChoice(given, 'tag'),
    tagFilter: given.get('q') ?? '',
    axis: readAxis(given.get('x')),
    look: LOOKS[given.get('look') ?? ''] ?? 'offset',
    pins: readList(given, 'pin'),
    full: given.get('full'),
  }
}
