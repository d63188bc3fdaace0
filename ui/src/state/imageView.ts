/** What an image board shows, as a value and as the query of an address. */

import type { Zoom } from '@/charts/placing'
import { readAddress, readChoice, readList, readMap, writeAddress, writeChoice, type AddressParts } from './address'

export interface ImageView {
  /** Chosen runs; null: nothing chosen yet, so the board decides. */
  readonly runs: readonly string[] | null
  readonly runFilter: string
  /** Ticked tags; null: all. */
  readonly tags: readonly string[] | null
  readonly tagFilter: string
  /** Where the cards stand; null: at the newest step, also when newer ones come. */
  readonly step: number | null
  /** Whether all cards stand at `step`, or each at its own of `steps`. */
  readonly isLinked: boolean
  readonly steps: ReadonlyMap<string, number | 'newest'>
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
  readonly zooms: ReadonlyMap<string, Zoom>
  /** The card shown in full screen. */
  readonly full: string | null
}

export const EMPTY_IMAGE_VIEW: ImageView = {
  runs: null, runFilter: '', tags: null, tagFilter: '', step: null, isLinked: true, steps: new Map(), brightness: 1, contrast: 1, isActual: false,
  isSmooth: false, isWiping: false, split: 0.5, first: null, second: null, zooms: new Map(), full: null,
}

export const MOST_LIGHT = 3

const short = (value: number, digits = 4): string => String(Number(value.toFixed(digits)))

/** Defaults are left out. */
export function writeImageView(view: ImageView): AddressParts {
  const query = new URLSearchParams()
  writeChoice(query, 'run', view.runs)
  if (view.runFilter) query.append('rf', view.runFilter)
  writeChoice(query, 'tag', view.tags)
  if (view.tagFilter) query.append('q', view.tagFilter)
  if (view.step !== null) query.append('step', String(view.step))
  if (!view.isLinked) query.append('link', '0')
  for (const [card, step] of view.steps) query.append('at', `${step}@${card}`)
  if (view.brightness !== 1) query.append('bright', short(view.brightness))
  if (view.contrast !== 1) query.append('contrast', short(view.contrast))
  if (view.isActual) query.append('size', 'actual')
  if (view.isSmooth) query.append('smooth', '1')
  if (view.isWiping) query.append('wipe', short(view.split, 3))
  if (view.first !== null) query.append('first', view.first)
  if (view.second !== null) query.append('second', view.second)
  for (const [card, { factor, x, y }] of view.zooms) query.append('z', `${short(factor)},${short(x)},${short(y)}@${card}`)
  if (view.full !== null) query.append('full', view.full)
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
    runs: readChoice(given, 'run'),
    runFilter: given.get('rf') ?? '',
    tags: readChoice(given, 'tag'),
    tagFilter: given.get('q') ?? '',
    step: readStep(given.get('step') ?? ''),
    isLinked: given.get('link') !== '0',
    steps: readMap(readList(given, 'at'), (text) => (text === 'newest' ? text : readStep(text))),
    brightness: light('bright'),
    contrast: light('contrast'),
    isActual: given.get('size') === 'actual',
    isSmooth: given.get('smooth') === '1',
    isWiping: split !== null,
    split: isShare(Number(split ?? 0.5)) ? Number(split ?? 0.5) : 0.5,
    first: given.get('first'),
    second: given.get('second'),
    zooms: readMap(readList(given, 'z'), readZoom),
    full: given.get('full'),
  }
}

const isShare = (value: number): boolean => value >= 0 && value <= 1

const readStep = (text: string): number | null => (/^-?\d+$/.test(text) ? Number(text) : null)

function readZoom(text: string): Zoom | null {
  const [factor = NaN, x = NaN, y = NaN] = text.split(',').map(Number)
  return factor > 0 && factor < Infinity && isShare(x) && isShare(y) ? { factor, x, y } : null
}

/** The step a card stands at; null: the newest. */
export function stepOf(view: ImageView, card: string): number | null {
  if (view.isLinked) return view.step
  const own = view.steps.get(card) ?? view.step
  return own === 'newest' ? null : own
}
