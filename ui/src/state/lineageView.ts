/** What a lineage board shows, as a value and as the query of an address. */

import { readAddress, writeAddress, type AddressParts } from './address'
import { EMPTY_SHEET_VIEW, readSheetView, writeSheetView, type SheetView } from './sheetView'

export interface LineageView extends SheetView {
  /** In the language of the search box. */
  readonly query: string
  /** The result that parameters are judged by; null: the panel is closed. */
  readonly target: string | null
  /** Also runs of which nothing is known; a search always finds them. */
  readonly isWhole: boolean
}

export const EMPTY_LINEAGE_VIEW: LineageView = { ...EMPTY_SHEET_VIEW, query: '', target: null, isWhole: false }

/** Defaults are left out. */
export function writeLineageView(view: LineageView): AddressParts {
  const query = new URLSearchParams()
  writeSheetView(query, view)
  if (view.query) query.append('q', view.query)
  if (view.target !== null) query.append('target', view.target)
  if (view.isWhole) query.append('all', '1')
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readLineageView(query: string, hash = ''): LineageView {
  const given = readAddress(query, hash)
  return { ...readSheetView(given), query: given.get('q') ?? '', target: given.get('target'), isWhole: given.get('all') === '1' }
}
