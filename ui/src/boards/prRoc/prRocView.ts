/** What a board of PR and ROC curves shows. */

import { byCard, defineView, fields, flag, oneOf, type ViewOf } from '@/base/url/view'
import { STEP_FIELDS } from '@/board/steps/stepView'
import { TAG_FIELDS } from '@/board/tags/tagView'
import { AXIS_KINDS } from '@/plot/axisOptions'
import type { PrRocBox } from './prRocPlot'

const short = (value: number): string => String(Number(value.toFixed(5)))

export const prRocView = defineView(
  TAG_FIELDS,
  STEP_FIELDS,
  fields({
    /** How the time of a curve is displayed. */
    time: oneOf('time', AXIS_KINDS),
    /** Whether tags with the same prefix share a chart. */
    isGrouped: flag('per', 'group'),
    zooms: byCard<PrRocBox>('z', readBox, ({ x, y }) => [...x, ...y].map(short).join(',')),
  }),
)

export type PrRocView = ViewOf<typeof prRocView>

function readBox(text: string): PrRocBox | null {
  const [x0 = NaN, x1 = NaN, y0 = NaN, y1 = NaN] = text.split(',').map(Number)
  return x0 < x1 && y0 < y1 && [x0, x1, y0, y1].every((end) => Math.abs(end) < 2)
    ? { x: [x0, x1], y: [y0, y1] }
    : null
}
