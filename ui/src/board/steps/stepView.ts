/** At which steps the cards of a board stand, as a part of its view and of its address. */

import { withEntry } from '@/base/url/address'
import { byCard, fields, flagOff, optionalInteger, type ViewOf } from '@/base/url/view'

export const STEP_FIELDS = fields({
  /** Where the cards stand; null: at the newest step, also when newer ones come. */
  step: optionalInteger('step'),
  /** Whether all cards stand at `step`, or each at its own of `steps`. */
  isLinked: flagOff('link'),
  steps: byCard<number | 'newest'>('at', (text) =>
    text === 'newest' ? text : /^-?\d+$/.test(text) ? Number(text) : null,
  ),
})

export type StepView = ViewOf<typeof STEP_FIELDS>

/** The step a card stands at; null: the newest. */
export function stepOf(view: StepView, card: string): number | null {
  if (view.isLinked) return view.step
  const own = view.steps.get(card) ?? view.step
  return own === 'newest' ? null : own
}

/** What changes when `card` goes to `step`, the last of its own if `isLast`; `newest` is the last of all cards. */
export function wentTo(
  view: StepView,
  card: string,
  step: number,
  isLast: boolean,
  newest: number,
): Partial<StepView> {
  // At the very end a card follows what training writes next.
  if (view.isLinked) return { step: isLast && step >= newest ? null : step }
  return { steps: withEntry(view.steps, card, isLast ? 'newest' : step) }
}
