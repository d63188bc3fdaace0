/** The texts of the chosen runs. Tags that only differ in what a writer puts behind them are one. */

import { computed } from 'vue'
import { useItemTags, type ItemTag, type TagSource } from './itemTags'

export const TEXT_KINDS = ['text'] as const

export interface TextTag extends ItemTag<'text'> {
  /** Under which the runs have logged it. */
  readonly loggedAs: readonly string[]
}

/** Without the ending that torch and tensorboardX give every text: else theirs and VisualDL's would never meet in one card. */
export const textName = (tag: string): string => tag.replace(/(.)\/text_summary$/, '$1')

export function joinTexts(tags: readonly ItemTag<'text'>[]): readonly TextTag[] {
  const joined = new Map<string, TextTag>()
  for (const { tag, kinds, runs, lastStep } of tags) {
    const name = textName(tag)
    const known = joined.get(name)
    joined.set(name, {
      tag: name, kinds,
      loggedAs: [...(known?.loggedAs ?? []), tag],
      runs: [...new Set([...(known?.runs ?? []), ...runs])],
      lastStep: Math.max(lastStep, known?.lastStep ?? -Infinity),
    })
  }
  return [...joined.values()]
}

export function useTextTags(runs: () => readonly string[]): TagSource<TextTag> {
  const source = useItemTags(runs, TEXT_KINDS)
  return { ...source, tags: computed(() => joinTexts(source.tags.value)) }
}
