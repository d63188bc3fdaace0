/** Tags of several runs that mean the same under different names, as one. */

import { computed } from 'vue'
import { useItemTags, type ItemTag, type TagSource } from './itemTags'

export interface RenamedTag<K extends string> extends ItemTag<K> {
  /** Under which the runs have logged it. */
  readonly loggedAs: readonly string[]
}

/** `nameOf` gives each tag the name that it shares with others. */
export function joinRenamed<K extends string>(
  tags: readonly ItemTag<K>[],
  nameOf: (tag: string) => string,
): readonly RenamedTag<K>[] {
  const joined = new Map<string, RenamedTag<K>>()
  for (const { tag, kinds, runs, lastStep } of tags) {
    const name = nameOf(tag)
    const previous = joined.get(name)
    joined.set(name, {
      tag: name,
      kinds,
      loggedAs: [...(previous?.loggedAs ?? []), tag],
      runs: [...new Set([...(previous?.runs ?? []), ...runs])],
      lastStep: Math.max(lastStep, previous?.lastStep ?? -Infinity),
    })
  }
  return [...joined.values()]
}

export function useRenamedTags<K extends string>(
  runs: () => readonly string[],
  kinds: readonly K[],
  nameOf: (tag: string) => string,
): TagSource<RenamedTag<K>> {
  const source = useItemTags(runs, kinds)
  return { ...source, tags: computed(() => joinRenamed(source.tags.value, nameOf)) }
}
