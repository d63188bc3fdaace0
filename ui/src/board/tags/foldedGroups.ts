/** Which groups of tags are folded; remembered in this browser, the same on every board. */

import { computed, type ComputedRef } from 'vue'
import type { TagGroup } from '@/base/groups'
import { isStrings, remembered } from '@/base/storage'
import { toggled } from './tagView'

export interface FoldedGroups {
  isFolded(prefix: string): boolean
  fold(prefix: string): void
  readonly isAllFolded: ComputedRef<boolean>
  foldAll(): void
}

/** `startsFolded` says which groups are folded until somebody opens them. */
export function useFoldedGroups(
  groups: () => readonly TagGroup[],
  startsFolded: (prefix: string) => boolean = () => false,
): FoldedGroups {
  // Groups that are not as they start.
  const changed = remembered('mi-folded-groups', [], isStrings)
  const isFolded = (prefix: string): boolean => changed.value.includes(prefix) !== startsFolded(prefix)
  const isAllFolded = computed(() => groups().length > 0 && groups().every(({ prefix }) => isFolded(prefix)))
  return {
    isFolded,
    isAllFolded,
    fold(prefix) {
      changed.value = [...toggled(changed.value, prefix)]
    },
    foldAll() {
      const shouldFold = !isAllFolded.value
      const here = groups().map(({ prefix }) => prefix)
      const others = changed.value.filter((prefix) => !here.includes(prefix))
      changed.value = [...others, ...here.filter((prefix) => startsFolded(prefix) !== shouldFold)]
    },
  }
}
