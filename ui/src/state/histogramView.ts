/** What a histogram board shows, as a value and as the query of an address. */

import type { AxisKind } from '@/charts/curves'
import type { HistogramZoom } from '@/charts/ridgeReading'
import type { Look } from '@/charts/ridges'
import type { Range } from '@/charts/zoom'
import { readAddress, readList, readMap, writeAddress, type AddressParts } from './address'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from './tagView'
import { readAxis } from './view'

export interface HistogramView extends TagView {
  readonly axis: AxisKind
  readonly look: Look
  readonly isLog: boolean
  readonly showOverwritten: boolean
  readonly zooms: ReadonlyMap<string, HistogramZoom>
}

export const EMPTY_HISTOGRAM_VIEW: HistogramView = { ...EMPTY_TAG_VIEW, axis: 'step', look: 'offset', isLog: false, showOverwritten: false, zooms: new Map() }

const LOOKS: Readonly<Record<string, Look>> = { offset: 'offset', overlay: 'overlay', bands: 'bands' }

/** Defaults are left out. */
export function writeHistogramView(view: HistogramView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  if (view.axis !== 'step') query.append('x', view.axis)
  if (view.look !== 'offset') query.append('look', view.look)
  if (view.isLog) query.append('ylog', '1')
  if (view.showOverwritten) query.append('resume', 'all')
  for (const [card, { steps, values }] of view.zooms) query.append('z', `${[steps, values].map(writeRange).join(',')}@${card}`)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readHistogramView(query: string, hash = ''): HistogramView {
  const given = readAddress(query, hash)
  return {
    ...readTagView(given),
    axis: readAxis(given.get('x')),
    look: LOOKS[given.get('look') ?? ''] ?? 'offset',
    isLog: given.get('ylog') === '1',
    showOverwritten: given.get('resume') === 'all',
    zooms: readMap(readList(given, 'z'), readZoom),
  }
}

const writeRange = (range: Range | null): string => (range ? range.map((end) => String(Number(end.toPrecision(13)))).join(',') : ',')

function readZoom(text: string): HistogramZoom | null {
  const ends = text.split(',')
  const range = (at: number, isRange: (lo: number, hi: number) => boolean): Range | null => {
    if (!ends[at] || !ends[at + 1]) return null
    const [lo, hi] = [Number(ends[at]), Number(ends[at + 1])]
    return isRange(lo, hi) ? [lo, hi] : null
  }
  const steps = range(0, (lo, hi) => Number.isInteger(lo) && Number.isInteger(hi) && lo <= hi)
  const values = range(2, (lo, hi) => Number.isFinite(lo) && Number.isFinite(hi) && lo < hi)
  return steps || values ? { steps, values } : null
}
