/** What a histogram board shows. */

import { byCard, defineView, fields, flag, oneOf, type ViewOf } from '@/base/url/view'
import { TAG_FIELDS } from '@/board/tags/tagView'
import { AXIS_KINDS } from '@/plot/axisOptions'
import type { HistogramZoom } from '@/plot/histogram/ridgeReading'
import type { Look } from '@/plot/histogram/ridges'
import type { Range } from '@/plot/zoom'

export const histogramView = defineView(
  TAG_FIELDS,
  fields({
    axis: oneOf('x', AXIS_KINDS),
    look: oneOf<Look>('look', ['offset', 'overlay', 'bands']),
    isLog: flag('ylog'),
    showSuperseded: flag('resume', 'all'),
    zooms: byCard<HistogramZoom>('z', readZoom, ({ steps, values }) =>
      [steps, values].map(writeRange).join(','),
    ),
  }),
)

export type HistogramView = ViewOf<typeof histogramView>

function writeRange(range: Range | null): string {
  return range ? range.map((end) => String(Number(end.toPrecision(13)))).join(',') : ','
}

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
