/** What a text board shows. */

import { defineView, fields, oneOf, parsed, text, type ViewOf } from '@/base/url/view'
import { STEP_FIELDS } from '@/board/steps/stepView'
import { TAG_FIELDS } from '@/board/tags/tagView'

/** What a text is compared with: the step before, the first, or a certain one. */
export type Against = 'previous' | 'first' | number

export const textView = defineView(
  TAG_FIELDS,
  STEP_FIELDS,
  fields({
    look: oneOf('as', ['markdown', 'raw', 'diff']),
    against: parsed<Against>('against', 'previous', (step) =>
      step === 'first' ? step : /^-?\d+$/.test(step) ? Number(step) : null,
    ),
    /** Words to find in the texts. */
    find: text('find'),
  }),
)

export type TextView = ViewOf<typeof textView>
export type TextLook = TextView['look']

/** The step among the ascending `steps` with which the one at `position` is compared; null when there is none. */
export function baseOf(against: Against, steps: readonly number[], position: number): number | null {
  if (against === 'first') return steps[0] ?? null
  if (against === 'previous') return steps[position - 1] ?? null
  return steps.includes(against) ? against : null
}
