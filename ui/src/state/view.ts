/** What a scalar board shows, as a value and as the query of an address. */

import type { AxisKind } from '@/charts/curves'
import type { Limits } from '@/charts/plot'
import type { Box, Range } from '@/charts/zoom'
import { readAddress, readList, readMap, writeAddress, writeList, type AddressParts } from './address'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from './tagView'

export interface View extends TagView {
  readonly axis: AxisKind
  readonly smoothing: number
  readonly isLog: boolean
  /** Cards whose scale is the other one than `isLog` says. */
  readonly logExceptions: readonly string[]
  readonly ignoreOutliers: boolean
  readonly showOverwritten: boolean
  readonly isCombining: boolean
  readonly left: readonly string[]
  readonly right: readonly string[]
  readonly zooms: ReadonlyMap<string, Box>
  readonly limits: ReadonlyMap<string, Limits>
}

/** The name under which the combined chart keeps its zoom, scale and limits; no tag is empty. */
export const COMBINED = ''

export const EMPTY_VIEW: View = {
  ...EMPTY_TAG_VIEW, axis: 'step', smoothing: 0, isLog: false, logExceptions: [],
  ignoreOutliers: false, showOverwritten: false, isCombining: false, left: [], right: [], zooms: new Map(), limits: new Map(),
}

const AXES: Readonly<Record<string, AxisKind>> = { step: 'step', relative: 'relative', absolute: 'absolute' }
export const readAxis = (text: string | null): AxisKind => AXES[text ?? ''] ?? 'step'

/** The view as query and, when it is long, hash (both without their signs). Defaults are left out. */
export function writeView(view: View): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  if (view.axis !== 'step') query.append('x', view.axis)
  if (view.smoothing > 0) query.append('s', String(Number(view.smoothing.toFixed(3))))
  if (view.isLog) query.append('ylog', '1')
  writeList(query, 'log', view.logExceptions)
  if (view.ignoreOutliers) query.append('outliers', 'ignore')
  if (view.showOverwritten) query.append('resume', 'all')
  if (view.isCombining) query.append('combine', '1')
  writeList(query, 'left', view.left)
  writeList(query, 'right', view.right)
  for (const [card, box] of view.zooms) query.append('z', `${writeBox(box)}@${card}`)
  for (const [card, limits] of view.limits) query.append('limit', `${limits.lower ?? ''}..${limits.upper ?? ''}@${card}`)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readView(query: string, hash = ''): View {
  const given = readAddress(query, hash)
  const list = (key: string): readonly string[] => readList(given, key)
  const smoothing = Number(given.get('s') ?? 0)
  return {
    ...readTagView(given),
    axis: readAxis(given.get('x')),
    smoothing: smoothing > 0 && smoothing < 1 ? Math.min(smoothing, 0.999) : 0,
    isLog: given.get('ylog') === '1',
    logExceptions: list('log'),
    ignoreOutliers: given.get('outliers') === 'ignore',
    showOverwritten: given.get('resume') === 'all',
    isCombining: given.get('combine') === '1',
    left: list('left'),
    right: list('right').filter((tag) => !list('left').includes(tag)),
    zooms: readMap(list('z'), readBox),
    limits: readMap(list('limit'), readLimits),
  }
}

/** Enough digits to tell pixels apart at any depth of zoom, and no more. */
const short = (value: number): string => String(Number(value.toPrecision(13)))

export function writeBox({ x, left, right }: Box): string {
  const ranges = [x, left, ...(right ? [right] : [])]
  return ranges.map((range) => (range ? range.map(short).join(',') : ',')).join(',')
}

export function readBox(text: string): Box | null {
  const ends = text.split(',')
  const range = (at: number): Range | null => {
    const [lo, hi] = [ends[at], ends[at + 1]]
    if (!lo || !hi) return null
    const [from, to] = [Number(lo), Number(hi)]
    return Number.isFinite(from) && Number.isFinite(to) && from < to ? [from, to] : null
  }
  const x = range(0)
  return x && { x, left: range(2), right: range(4) }
}

function readLimits(text: string): Limits | null {
  const ends = text.split('..')
  if (ends.length !== 2) return null
  const [lower, upper] = ends.map((end) => (end === '' || !Number.isFinite(Number(end)) ? null : Number(end)))
  return lower === null && upper === null ? null : { lower: lower ?? null, upper: upper ?? null }
}

export const isLogOf = (view: View, card: string): boolean => view.isLog !== view.logExceptions.includes(card)
