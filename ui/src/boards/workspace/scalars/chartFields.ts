/** The settings of charts of scalars, as a part of the views of boards that have them. */

import {
  byCard,
  fields,
  flag,
  flagOff,
  list,
  parsed,
  type Field,
  type ViewOf,
  type ViewPart,
} from '@/base/url/view'
import type { AxisKind } from '@/plot/curves'
import type { Limits } from '@/plot/plot'
import type { Box, Range } from '@/plot/zoom'

/** As in TensorBoard. */
export const DEFAULT_SMOOTHING = 0.6

const smoothing = parsed(
  's',
  DEFAULT_SMOOTHING,
  (text) => (text !== '' && Number(text) >= 0 && Number(text) < 1 ? Math.min(Number(text), 0.999) : null),
  (value) => String(Number(value.toFixed(3))),
)

const TAG_AXIS = 'tag:'

/** The scalar that the horizontal axis is, or null. */
export const axisTag = (axis: string): string | null =>
  axis.startsWith(TAG_AXIS) ? axis.slice(TAG_AXIS.length) : null
export const axisOfTag = (tag: string): string => TAG_AXIS + tag

const isOwn = (text: string): text is AxisKind => ['step', 'relative', 'absolute'].includes(text)
/** The axis of charts that have no other scalar as one. */
export const ownAxis = (axis: string): AxisKind => (isOwn(axis) ? axis : 'step')

const right: Field<readonly string[]> = {
  ...list('right'),
  read: (params) =>
    list('right')
      .read(params)
      .filter((tag) => !params.getAll('left').includes(tag)),
}

const TABLE = {
  /** `step`, `relative`, `absolute`, or `tag:` and the tag of a scalar. */
  axis: parsed('x', 'step', (text) => (isOwn(text) || (axisTag(text) ?? '') !== '' ? text : null)),
  smoothing,
  isLogX: flag('xlog'),
  isLog: flag('ylog'),
  /** Cards whose scale is the opposite of `isLog`. */
  logExceptions: list('log'),
  /** Outliers do not stretch the axis; they are counted on the card. */
  ignoreOutliers: flagOff('outliers', 'show'),
  /** On all cards but those in `superseded`. */
  showSuperseded: flag('resume', 'all'),
  isCombining: flag('combine'),
  left: list('left'),
  right,
  zooms: byCard('z', readBox, writeBox),
  limits: byCard<Limits>('limit', readLimits, ({ lower, upper }) => `${lower ?? ''}..${upper ?? ''}`),
} as const

export const CHART_FIELDS = fields(TABLE)
export type ChartSettings = ViewOf<typeof CHART_FIELDS>
export type ChartPart = ViewPart<ChartSettings>

/** Enough digits to tell pixels apart at any depth of zoom, and no more. */
function short(value: number): string {
  return String(Number(value.toPrecision(13)))
}

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

export const isLogOf = (view: ChartSettings, card: string): boolean =>
  view.isLog !== view.logExceptions.includes(card)
