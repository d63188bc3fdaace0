/** What a text board shows, as a value and as the query of an address. */

import { readAddress, writeAddress, type AddressParts } from './address'
import { EMPTY_STEP_VIEW, readStepView, writeStepView, type StepView } from './stepView'
import { EMPTY_TAG_VIEW, readTagView, writeTagView, type TagView } from './tagView'

export type TextLook = 'markdown' | 'raw' | 'diff'
/** What a difference is taken from: the step before, the first, or a certain one. */
export type Against = 'previous' | 'first' | number

export interface TextView extends TagView, StepView {
  readonly look: TextLook
  readonly against: Against
  /** Words looked for in the texts. */
  readonly find: string
}

export const EMPTY_TEXT_VIEW: TextView = { ...EMPTY_TAG_VIEW, ...EMPTY_STEP_VIEW, look: 'markdown', against: 'previous', find: '' }

/** Defaults are left out. */
export function writeTextView(view: TextView): AddressParts {
  const query = new URLSearchParams()
  writeTagView(query, view)
  writeStepView(query, view)
  if (view.look !== 'markdown') query.append('as', view.look)
  if (view.against !== 'previous') query.append('against', String(view.against))
  if (view.find) query.append('find', view.find)
  return writeAddress(query)
}

/** The view an address stands for; what cannot be understood is left at its default. */
export function readTextView(query: string, hash = ''): TextView {
  const given = readAddress(query, hash)
  const look = given.get('as')
  const against = given.get('against') ?? ''
  return {
    ...readTagView(given),
    ...readStepView(given),
    look: look === 'raw' || look === 'diff' ? look : 'markdown',
    against: against === 'first' ? against : /^-?\d+$/.test(against) ? Number(against) : 'previous',
    find: given.get('find') ?? '',
  }
}

/** The step among the ascending `steps` with which the one at `position` is compared; null when there is none. */
export function baseOf(against: Against, steps: readonly number[], position: number): number | null {
  if (against === 'first') return steps[0] ?? null
  if (against === 'previous') return steps[position - 1] ?? null
  return steps.includes(against) ? against : null
}
