/** What a board shows, as a value and as the query of an address. */

import type { AxisKind } from '@/charts/curves'
import type { Limits } from '@/charts/plot'
import type { Look } from '@/charts/ridges'
import type { Box, Range } from '@/charts/zoom'

export interface View {
  /** Chosen runs; null: nothing chosen yet, so the board decides. */
  readonly runs: readonly string[] | null
  readonly runFilter: string
  /** Ticked tags; null: all. */
  readonly tags: readonly string[] | null
  readonly tagFilter: string
  readonly axis: AxisKind
  /** How histograms are drawn. */
  readonly look: Look
  readonly smoothing: number
  readonly isLog: boolean
  /** Cards whose scale is the other one than `isLog` says. */
  readonly logExceptions: readonly string[]
  readonly ignoreOutliers: boolean
  readonly showOverwritten: boolean
  readonly pins: readonly string[]
  readonly isCombining: boolean
  readonly left: readonly string[]
  readonly right: readonly string[]
  readonly zooms: ReadonlyMap<string, Box>
  readonly limits: ReadonlyMap<string, Limits>
  /** The card shown in full screen. */
  readonly full: string | null
}

/** The name under which the combined chart keeps its zoom, scale and limits; no tag is empty. */
export const COMBINED = ''

export const EMPTY_VIEW: View = {
  runs: null, runFilter: '', tags: null, tagFilter: '', axis: 'step', look: 'offset', smoothing: 0, isLog: false, logExceptions: [],
  ignoreOutliers: false, showOverwritten: false, pins: [], isCombining: false, left: [], right: [],
  zooms: new Map(), limits: new Map(), full: null,
}

const AXES: Readonly<Record<string, AxisKind>> = { step: 'step', relative: 'relative', absolute: 'absolute' }
const LOOKS: Readonly<Record<string, Look>> = { offset: 'offset', overlay: 'overlay', bands: 'bands' }
const NOTHING = 'none' // "no run" and "no tag" are choices too

/** Addresses longer than this are cut by some servers; the part behind # never reaches them. */
const LONGEST_QUERY = 3000

/** The view as query and, when it is long, hash (both without their signs). Defaults are left out. */
export function writeView(view: View): { readonly query: string; readonly hash: string } {
  const query = new URLSearchParams()
  const addAll = (key: string, values: readonly string[]): void => values.forEach((value) => query.append(key, value))
  if (view.runs !== null) addAll('run', view.runs.length > 0 ? view.runs : [NOTHING])
  if (view.runFilter) query.append('rf', view.runFilter)
  if (view.tags !== null) addAll('tag', view.tags.length > 0 ? view.tags : [NOTHING])
  if (view.tagFilter) query.append('q', view.tagFilter)
  if (view.axis !== 'step') query.append('x', view.axis)
  if (view.look !== 'offset') query.append('look', view.look)
  if (view.smoothing > 0) query.append('s', String(Number(view.smoothing.toFixed(3))))
  if (view.isLog) query.append('ylog', '1')
  addAll('log', view.logExceptions)
  if (view.ignoreOutliers) query.append('outliers', 'ignore')
  if (view.showOverwritten) query.append('resume', 'all')
  addAll('pin', view.pins)
  if (view.isCombining) query.append('combine', '1')
  addAll('left', view.left)
  addAll('right', view.right)
  for (const [card, box] of view.zooms) query.append('z', `${writeBox(box)}@${card}`)
  for (const [card, limits] of view.limits) query.append('limit', `${limits.lower ?? ''}..${limits.upper ?? ''}@${card}`)
  if (view.full !== null) query.append('full', view.full)
  const text = readable(query)
  return text.length <= LONGEST_QUERY ? { query: text, hash: '' } : { query: '', hash: text }
}

/** Slashes, colons, commas and the like need no escape in a query; people read it. */
const readable = (query: URLSearchParams): string =>
  query.toString().replace(/%2F/g, '/').replace(/%3A/g, ':').replace(/%2C/g, ',').replace(/%40/g, '@')

/** The view an address stands for; what cannot be understood is left at its default. */
export function readView(query: string, hash = ''): View {
  const given = new URLSearchParams(query.replace(/^\?/, ''))
  for (const [key, value] of new URLSearchParams(hash.replace(/^#/, ''))) given.append(key, value)
  const list = (key: string): readonly string[] => [...new Set(given.getAll(key))]
  const choice = (key: string): readonly string[] | null => {
    const values = list(key)
    return values.length === 0 ? null : values.length === 1 && values[0] === NOTHING ? [] : values
  }
  const smoothing = Number(given.get('s') ?? 0)
  return {
    runs: choice('run'),
    runFilter: given.get('rf') ?? '',
    tags: choice('tag'),
    tagFilter: given.get('q') ?? '',
    axis: AXES[given.get('x') ?? ''] ?? 'step',
    look: LOOKS[given.get('look') ?? ''] ?? 'offset',
    smoothing: smoothing > 0 && smoothing < 1 ? Math.min(smoothing, 0.999) : 0,
    isLog: given.get('ylog') === '1',
    logExceptions: list('log'),
    ignoreOutliers: given.get('outliers') === 'ignore',
    showOverwritten: given.get('resume') === 'all',
    pins: list('pin'),
    isCombining: given.get('combine') === '1',
    left: list('left'),
    right: list('right').filter((tag) => !list('left').includes(tag)),
    zooms: readMap(list('z'), readBox),
    limits: readMap(list('limit'), readLimits),
    full: given.get('full'),
  }
}

/** Entries written as `text@card`; the text has no @, so the first one ends it. */
function readMap<T>(entries: readonly string[], read: (text: string) => T | null): ReadonlyMap<string, T> {
  const map = new Map<string, T>()
  for (const entry of entries) {
    const at = entry.indexOf('@')
    const value = at < 0 ? null : read(entry.slice(0, at))
    if (value !== null) map.set(entry.slice(at + 1), value)
  }
  return map
}

/** Enough digits to tell pixels apart at any depth of zoom, and no more. */
const short = (value: number): string => String(Number(value.toPrecision(13)))

function writeBox({ x, left, right }: Box): string {
  const ranges = [x, left, ...(right ? [right] : [])]
  return ranges.map((range) => (range ? range.map(short).join(',') : ',')).join(',')
}

function readBox(text: string): Box | null {
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

/** `list` with `item` if it was missing, else without it. */
export const toggled = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item]

/** `map` with `key` set, or without it when `value` is null. */
export function withEntry<T>(map: ReadonlyMap<string, T>, key: string, value: T | null): ReadonlyMap<string, T> {
  const changed = new Map(map)
  if (value === null) changed.delete(key)
  else changed.set(key, value)
  return changed
}
