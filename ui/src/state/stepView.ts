/** At which steps the cards of a board stand, as a part of its view and of its address. */

import { readList, readMap, withEntry } from './address'

export interface StepView {
  /** Where the cards stand; null: at the newest step, also when newer ones come. */
  readonly step: number | null
  /** Whether all cards stand at `step`, or each at its own of `steps`. */
  readonly isLinked: boolean
  readonly steps: ReadonlyMap<string, number | 'newest'>
}

export const EMPTY_STEP_VIEW: StepView = { step: null, isLinked: true, steps: new Map() }

/** Defaults are left out. */
export function writeStepView(query: URLSearchParams, view: StepView): void {
  if (view.step !== null) query.append('step', String(view.step))
  if (!view.isLinked) query.append('link', '0')
  for (const [card, step] of view.steps) query.append('at', `${step}@${card}`)
}

export const readStepView = (given: URLSearchParams): StepView => ({
  step: readStep(given.get('step') ?? ''),
  isLinked: given.get('link') !== '0',
  steps: readMap(readList(given, 'at'), (text) => (text === 'newest' ? text : readStep(text))),
})

const readStep = (text: string): number | null => (/^-?\d+$/.test(text) ? Number(text) : null)

/** The step a card stands at; null: the newest. */
export function stepOf(view: StepView, card: string): number | null {
  if (view.isLinked) return view.step
  const own = view.steps.get(card) ?? view.step
  return own === 'newest' ? null : own
}

/** What changes when `card` goes to `step`, the last of its own if `isLast`; `newest` is the last of all cards. */
export function wentTo(view: StepView, card: string, step: number, isLast: boolean, newest: number): Partial<StepView> {
  // At the very end a card follows what training writes next.
  if (view.isLinked) return { step: isLast && step >= newest ? null : step }
  return { steps: withEntry(view.steps, card, isLast ? 'newest' : step) }
}
