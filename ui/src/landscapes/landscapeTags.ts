/** The landscapes of the chosen runs: one for each interval, and the result of the training. */

import { computed } from 'vue'
import { useItemTags, type ItemTag, type TagSource } from '@/state/itemTags'

export const LANDSCAPE_KINDS = ['landscapes'] as const

export interface LandscapeTag extends ItemTag<'landscapes'> {
  /** Under which the runs have logged it. */
  readonly loggedAs: readonly string[]
}

/** MindSpore names results by their last step, `landscape_[500]`; so the results of two runs would never meet in one card. */
export const nameOf = (tag: string): string => tag.replace(/_\[\d+\]$/, '_[final]')

export function joinResults(tags: readonly ItemTag<'landscapes'>[]): readonly LandscapeTag[] {
  const joined = new Map<string, LandscapeTag>()
  for (const { tag, kinds, runs, lastStep } of tags) {
    const name = nameOf(tag)
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

export function useLandscapeTags(runs: () => readonly string[]): TagSource<LandscapeTag> {
  const source = useItemTags(runs, LANDSCAPE_KINDS)
  return { ...source, tags: computed(() => joinResults(source.tags.value)) }
}
