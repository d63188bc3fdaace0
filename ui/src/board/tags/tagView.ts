/** What every board of tags lets people choose, as parts of its view and of its address. */

import { fields, list, optionalText, selection, text, type ViewOf } from '@/base/url/view'

const CARDS = {
  /** Selected tags; null: all. */
  tags: selection('tag'),
  tagFilter: text('q'),
  pins: list('pin'),
  /** The card shown in full screen. */
  full: optionalText('full'),
  /** Cards that show superseded points; where a board has a setting for all of them, those that differ from it. */
  superseded: list('superseded'),
} as const

export const CARD_FIELDS = fields(CARDS)

export const TAG_FIELDS = fields({
  /** Selected runs; null: nothing selected yet, so the board decides. */
  runs: selection('run'),
  runFilter: text('rf'),
  ...CARDS,
})

export type TagView = ViewOf<typeof TAG_FIELDS>

/** `list` with `item` if it was missing, else without it. */
export const toggled = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item]

/** Whether a card shows every point as it was written. */
export const showsSuperseded = (
  view: TagView & { readonly showSuperseded: boolean },
  card: string,
): boolean => view.showSuperseded !== view.superseded.includes(card)
