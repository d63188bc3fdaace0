/** Which groups of tags are folded; remembered in this browser, the same on every board. */

import { computed, type ComputedRef } from 'vue'
import type { TagGroup } from './groups'
import { isStrings, remembered } from './remembered'
import { toggled } from './tagView'

export interface Folding {
  isFolded(prefix: string): boolean
  fold(prefix: string): void
  readonly isAllFolded: ComputedRef<boolean>
  foldAll(): void
}

export function useFolding(groups: () => readonly TagGroup[]): Folding {
  const folded = remembered('mi-folded-groups', [], isStrings)
  const isFolded = (prefix: string): boolean => folded.value.includes(prefix)
  const isAllFolded = computed(() => groups().length > 0 && groups().every(({ prefix }) => isFolded(prefix)))
  return {
    isFolded,
    isAllFolded,
    fold(prefix) {
      folded.value = [...toggled(folded.value, prefix)]
    },
    foldAll() {
      const here = groups().map(({ prefix }) => prefix)
      const others = folded.value.filter((prefix) => !here.includes(prefix))
      folded.value = isAllFolded.value ? others : [...others, ...here]
    },
  }
}
