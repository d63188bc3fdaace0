/** What an image board shows. */

import {
  byCard,
  defineView,
  fields,
  flag,
  number,
  optionalText,
  parsed,
  type Field,
  type ViewOf,
  type ViewPart,
} from '@/base/url/view'
import { STEP_FIELDS } from '@/board/steps/stepView'
import { TAG_FIELDS } from '@/board/tags/tagView'
import type { Zoom } from '@/plot/placing'

export const MOST_LIGHT = 3

const short = (value: number, digits = 4): string => String(Number(value.toFixed(digits)))
const light = (key: string): Field<number> =>
  number(key, 1, (value) => value >= 0 && value <= MOST_LIGHT, short)

interface Wipe {
  readonly isWiping: boolean
  /** Where the wipe stands, as a share of the width; left of it is `first`, right of it `second`. */
  readonly split: number
}

const WIPE: ViewPart<Wipe> = {
  defaults: { isWiping: false, split: 0.5 },
  read(params) {
    const split = Number(params.get('wipe') ?? 0.5)
    return { isWiping: params.has('wipe'), split: isShare(split) ? split : 0.5 }
  },
  write(params, { isWiping, split }) {
    if (isWiping) params.append('wipe', short(split, 3))
  },
}

export const imageView = defineView(
  TAG_FIELDS,
  STEP_FIELDS,
  fields({
    /** 1 is as logged. */
    brightness: light('bright'),
    contrast: light('contrast'),
    isActual: flag('size', 'actual'),
    /** Whether enlarged pixels are blurred into each other. */
    isSmooth: flag('smooth'),
  }),
  WIPE,
  fields({
    /** Keys of panes; null: as they come. */
    first: optionalText('first'),
    second: optionalText('second'),
    /** The step right of the line, where both sides are of one run; null: its first. */
    against: parsed<number | null>('against', null, (text) =>
      /^-?\d{1,15}$/.test(text) ? Number(text) : null,
    ),
    /** Several steps beside each other, a row for each run. */
    isMatrix: flag('matrix'),
    zooms: byCard<Zoom>('z', readZoom, ({ factor, x, y }) =>
      [factor, x, y].map((each) => short(each)).join(','),
    ),
  }),
)

export type ImageView = ViewOf<typeof imageView>

function isShare(value: number): boolean {
  return value >= 0 && value <= 1
}

function readZoom(text: string): Zoom | null {
  const [factor = NaN, x = NaN, y = NaN] = text.split(',').map(Number)
  return factor > 0 && factor < Infinity && isShare(x) && isShare(y) ? { factor, x, y } : null
}
