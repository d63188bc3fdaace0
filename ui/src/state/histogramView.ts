/** What a histogram board shows, as a value and as the query of an address. */

import type { AxisKind } from '@/charts/curves'
import type { Look } from '@/charts/ridges'
import { readAddress, writeAddress, type AddressParts } from './address'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from './tagView'
import { readAxis } from './view'

export interface HistogramView extends TagView {
  readonly axis: AxisKind
  readonly look: Look
}

export const EMPTY_HISTOGRAM_VIEW: HistogramView = { ...EMPTY_TAG_VIEW, axis: 'step', look: 'offset' }

const LOOKS: Readonly<Record<string, Look>> = { offset: 'offset', overlay: 'overlay', bands: 'bands' }

/** Defaults are left out. */
export function writeHistogramView(view: HistogramView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  if (view.axis !== 'step') query.append('x', view.axis)
  if (view.look !== 'offset') query.append('look', view.look)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readHistogramView(query: string, hash = ''): HistogramView {
  const given = readAddress(query, hash)
  return { ...readTagView(given), axis: readAxis(given.get('x')), look: LOOKS[given.get('look') ?? ''] ?? 'offset' }
}
