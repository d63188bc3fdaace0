/** Edits of notes and labels that are not saved yet: kept outside of their cells, which come and go with scrolling. */

import { reactive } from 'vue'
import type { Conflict } from '@/base/api/conflicts'

export interface Draft {
  text: string
  /** What stood there when the edit began. */
  readonly base: string
  version: number
  isSaving: boolean
  /** Why the last attempt to save it failed. */
  failure: string
  conflict: Conflict | null
}

/** By run and column. */
export const drafts = reactive(new Map<string, Draft>())

export const draftKey = (run: string, column: string): string => `${column} ${run}`

export const newDraft = (base: string, version: number): Draft => ({
  text: base,
  base,
  version,
  isSaving: false,
  failure: '',
  conflict: null,
})

export const labelsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(/[,，]/)
      .map((part) => part.trim())
      .filter(Boolean),
  ),
]

/** The two notes below each other, each once. */
export const merged = (theirs: string, mine: string): string =>
  theirs.includes(mine) ? theirs : mine.includes(theirs) ? mine : `${theirs}\n${mine}`
