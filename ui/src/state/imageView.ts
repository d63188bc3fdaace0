/** What an image board shows, as a value and as the query of an address. */

import type { Zoom } from '@/charts/placing'
import { readAddress, readList, readMap, writeAddress, type AddressParts } from './address'
import { EMPTY_STEP_VIEW, readStepView, writeStepView, type StepView } from './stepView'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from './tagView'

export interface ImageView extends TagView, StepView {
  /** 1 is as logged. */
  readonly brightness: number
  readonly contrast: number
  readonly isActual: boolean
  /** Whether enlarged pixels are blurred into each other. */
  readonly isSmooth: boolean
  readonly isWiping: boolean
  /** Where the wipe stands, as a share of the width; left of it is `first`, right of it `second` (keys of panes; null: as they come). */
  readonly split: number
  readonly first: string | null
  readonly second: string | null
  /** The step right of the line, where both sides are of one run; null: its first. */
  readonly against: number | null
  /** Several steps beside each other, a row for each run. */
  readonly isMatrix: boolean
  readonly zooms: ReadonlyMap<string, Zoom>
}

export const EMPTY_IMAGE_VIEW: ImageView = {
  ...EMPTY_TAG_VIEW, ...EMPTY_STEP_VIEW, brightness: 1, contrast: 1, isActual: false,
  isSmooth: false, isWiping: false, split: 0.5, first: null, second: null, against: null, isMatrix: false, zooms: new Map(),
}

export const MOST_LIGHT = 3

const short = (value: number, digits = 4): string => String(Number(value.toFixed(digits)))

/** Defaults are left out. */
export function writeImageView(view: ImageView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  writeStepView(query, view)
  if (view.brightness !== 1) query.append('bright', short(view.brightness))
  if (view.contrast !== 1) query.append('contrast', short(view.contrast))
  if (view.isActual) query.append('size', 'actual')
  if (view.isSmooth) query.append('smooth', '1')
  if (view.isWiping) query.append('wipe', short(view.split, 3))
  if (view.first !== null) query.append('first', view.first)
  if (view.second !== null) query.append('second', view.second)
  if (view.against !== null) query.append('against', String(view.against))
  if (view.isMatrix) query.append('matrix', '1')
  for (const [card, { factor, x, y }] of view.zooms) query.append('z', `${short(factor)},${short(x)},${short(y)}@${card}`)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readImageView(query: string, hash = ''): ImageView {
  const given = readAddress(query, hash)
  const light = (key: string): number => {
    const value = Number(given.get(key) ?? 1)
    return value >= 0 && value <= MOST_LIGHT ? value : 1
  }
  const split = given.get('wipe')
  return {
    ...readTagView(given),
    ...readStepView(given),
    brightness: light('bright'),
    contrast: light('contrast'),
    isActual: given.get('size') === 'actual',
    isSmooth: given.get('smooth') === '1',
    isWiping: split !== null,
    split: isShare(Number(split ?? 0.5)) ? Number(split ?? 0.5) : 0.5,
    first: given.get('first'),
    second: given.get('second'),
    against: readStep(given.get('against')),
    isMatrix: given.get('matrix') === '1',
    zooms: readMap(readList(given, 'z'), readZoom),
  }
}

const readStep = (text: string | null): number | null => (text !== null && /^-?\d{1,15}$/.test(text) ? Number(text) : null)

const isShare = (value: number): boolean => value >= 0 && value <= 1

function readZoom(text: string): Zoom | null {
  const [factor = NaN, x = NaN, y = NaN] = text.split(',').map(Number)
  return factor > 0 && factor < Infinity && isShare(x) && isShare(y) ? { factor, x, y } : null
}
