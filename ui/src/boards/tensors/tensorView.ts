/** What the board of tensors shows. */

import { byCard, defineView, fields, flag, number, oneOf, parsed, type ViewOf } from '@/base/url/view'
import { STEP_FIELDS } from '@/board/steps/stepView'
import { TAG_FIELDS } from '@/board/tags/tagView'

/** The step that is subtracted from the one shown; null: none. */
export type Minus = 'previous' | 'first' | number | null

export const tensorView = defineView(
  TAG_FIELDS,
  STEP_FIELDS,
  fields({
    show: oneOf('show', ['table', 'histogram', 'statistics']),
    minus: parsed<Minus>('minus', null, (text) => {
      if (text === 'previous' || text === 'first') return text
      return /^-?\d{1,16}$/.test(text) ? Number(text) : null
    }),
    /** Significant digits. */
    digits: number('digits', 4, (digits) => Number.isInteger(digits) && digits >= 1 && digits <= 17),
    isScientific: flag('sci'),
    /** Colours from the smallest to the largest number of the whole tensor, of what is in view, or none. */
    heat: oneOf('heat', ['tensor', 'view', 'none']),
    /** Rows, columns and places on the other axes, by tag. */
    slices: byCard('slice', (text) => (/^[\drc.]{1,200}$/.test(text) ? text : null)),
  }),
)

export type TensorView = ViewOf<typeof tensorView>
export type Show = TensorView['show']
