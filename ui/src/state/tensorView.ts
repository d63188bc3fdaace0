/** What the board of tensors shows, as a value and as the query of an address. */

import { readAddress, readList, readMap, writeAddress, type AddressParts } from './address'
import { EMPTY_STEP_VIEW, readStepView, writeStepView, type StepView } from './stepView'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from './tagView'

export type Show = 'table' | 'histogram' | 'statistics'

/** The step that is taken from the one shown; null: none. */
export type Minus = 'previous' | 'first' | number | null

export interface TensorView extends TagView, StepView {
  readonly show: Show
  readonly minus: Minus
  /** Significant digits. */
  readonly digits: number
  readonly isScientific: boolean
  /** Colours from the smallest to the largest number of the whole tensor, of what is in view, or none. */
  readonly heat: 'tensor' | 'view' | 'none'
  /** Rows, columns and places on the other axes, by tag. */
  readonly slices: ReadonlyMap<string, string>
}

export const EMPTY_TENSOR_VIEW: TensorView = {
  ...EMPTY_TAG_VIEW, ...EMPTY_STEP_VIEW, show: 'table', minus: null, digits: 4, isScientific: false, heat: 'tensor', slices: new Map(),
}

const SHOWS: Readonly<Record<string, Show>> = { table: 'table', histogram: 'histogram', statistics: 'statistics' }
const HEATS: Readonly<Record<string, TensorView['heat']>> = { tensor: 'tensor', view: 'view', none: 'none' }

function readMinus(text: string | null): Minus {
  if (text === 'previous' || text === 'first') return text
  return text !== null && /^-?\d{1,16}$/.test(text) ? Number(text) : null
}

function readDigits(text: string | null): number {
  const digits = Number(text)
  return Number.isInteger(digits) && digits >= 1 && digits <= 17 ? digits : EMPTY_TENSOR_VIEW.digits
}

/** Defaults are left out. */
export function writeTensorView(view: TensorView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  writeStepView(query, view)
  if (view.show !== 'table') query.append('show', view.show)
  if (view.minus !== null) query.append('minus', String(view.minus))
  if (view.digits !== EMPTY_TENSOR_VIEW.digits) query.append('digits', String(view.digits))
  if (view.isScientific) query.append('sci', '1')
  if (view.heat !== 'tensor') query.append('heat', view.heat)
  for (const [tag, slice] of view.slices) query.append('slice', `${slice}@${tag}`)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readTensorView(query: string, hash = ''): TensorView {
  const given = readAddress(query, hash)
  return {
    ...readTagView(given),
    ...readStepView(given),
    show: SHOWS[given.get('show') ?? ''] ?? 'table',
    minus: readMinus(given.get('minus')),
    digits: readDigits(given.get('digits')),
    isScientific: given.get('sci') === '1',
    heat: HEATS[given.get('heat') ?? ''] ?? 'tensor',
    slices: readMap(readList(given, 'slice'), (text) => (/^[\drc.]{1,200}$/.test(text) ? text : null)),
  }
}
