/** The texts of the chosen runs. Tags that only differ in what a writer puts behind them are one. */

import type { TagSource } from '@/board/tags/itemTags'
import { useRenamedTags, type RenamedTag } from '@/board/tags/renamedTags'

export const TEXT_KINDS = ['text'] as const

export type TextTag = RenamedTag<'text'>

/** Without the ending that torch and tensorboardX give every text: else theirs and VisualDL's would never meet in one card. */
export const textName = (tag: string): string => tag.replace(/(.)\/text_summary$/, '$1')

export const useTextTags = (runs: () => readonly string[]): TagSource<TextTag> =>
  useRenamedTags(runs, TEXT_KINDS, textName)
