/** What the board of hyper-parameters shows, as a value and as the query of an address. */

import type { Reduction } from '@/api/hparams'
import { readAddress, writeAddress, type AddressParts } from './address'
import { EMPTY_SHEET_VIEW, readSheetView, writeSheetView, type SheetView } from './sheetView'

export interface HparamView extends SheetView {
  readonly search: string
  readonly metric: Reduction
}

export const EMPTY_HPARAM_VIEW: HparamView = { ...EMPTY_SHEET_VIEW, search: '', metric: 'last' }

const METRICS: Readonly<Record<string, Reduction>> = { last: 'last', min: 'min', max: 'max' }

/** Defaults are left out. */
export function writeHparamView(view: HparamView): AddressParts {
  const query = new URLSearchParams()
  writeSheetView(query, view)
  if (view.search) query.append('q', view.search)
  if (view.metric !== 'last') query.append('metric', view.metric)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readHparamView(query: string, hash = ''): HparamView {
  const given = readAddress(query, hash)
  return { ...readSheetView(given), search: given.get('q') ?? '', metric: METRICS[given.get('metric') ?? ''] ?? 'last' }
}
