/** The landscapes of the chosen runs: one for each interval, and the result of the training. */

import type { TagSource } from '@/board/tags/itemTags'
import { useRenamedTags, type RenamedTag } from '@/board/tags/renamedTags'

export const LANDSCAPE_KINDS = ['landscapes'] as const

export type LandscapeTag = RenamedTag<'landscapes'>

/** MindSpore names results by their last step, `landscape_[500]`; so the results of two runs would never meet in one card. */
export const nameOf = (tag: string): string => tag.replace(/_\[\d+\]$/, '_[final]')

export const useLandscapeTags = (runs: () => readonly string[]): TagSource<LandscapeTag> =>
  useRenamedTags(runs, LANDSCAPE_KINDS, nameOf)
