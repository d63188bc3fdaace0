/** What every board of tags lets people choose, as a part of its view and of its address. */

import { readChoice, readList, writeChoice, writeList } from './address'

export interface TagView {
  /** Chosen runs; null: nothing chosen yet, so the board decides. */
  readonly runs: readonly string[] | null
  readonly runFilter: string
  /** Ticked tags; null: all. */
  readonly tags: readonly string[] | null
  readonly tagFilter: string
  readonly pins: readonly string[]
  /** The card shown in full screen. */
  readonly full: string | null
}

export const EMPTY_TAG_VIEW: TagView = { runs: null, runFilter: '', tags: null, tagFilter: '', pins: [], full: null }

/** Defaults are left out. */
export function writeTagView(query: URLSearchParams, view: TagView): void {
  writeChoice(query, 'run', view.runs)
  if (view.runFilter) query.append('rf', view.runFilter)
  writeChoice(query, 'tag', view.tags)
  if (view.tagFilter) query.append('q', view.tagFilter)
  writeList(query, 'pin', view.pins)
  if (view.full !== null) query.append('full', view.full)
}

export const readTagView = (given: URLSearchParams): TagView => ({
  runs: readChoice(given, 'run'),
  runFilter: given.get('rf') ?? '',
  tags: readChoice(given, 'tag'),
  tagFilter: given.get('q') ?? '',
  pins: readList(given, 'pin'),
  full: given.get('full'),
})

/** `list` with `item` if it was missing, else without it. */
export const toggled = (list: readonly string[], item: string): readonly string[] =>
  list.includes(item) ? list.filter((other) => other !== item) : [...list, item]
