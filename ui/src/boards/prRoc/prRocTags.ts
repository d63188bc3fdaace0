/** The tags of PR and ROC curves; a tag with both has a card for each. */

import { computed } from 'vue'
import { useItemTags, type ItemTag, type TagSource } from '@/board/tags/itemTags'
import type { BoardTag } from '@/board/tags/useTagBoard'
import { PR_ROC_KINDS, type PrRocKind } from './api'

export interface PrRocTag extends BoardTag {
  readonly kind: PrRocKind
  /** As it was logged; `tag` is how the card is called. */
  readonly logged: string
}

const KIND_NAMES: Readonly<Record<PrRocKind, string>> = { pr_curves: 'PR', roc_curves: 'ROC' }

export function prRocTagsOf(tags: readonly ItemTag<PrRocKind>[]): readonly PrRocTag[] {
  return tags.flatMap(({ tag, kinds, runs, lastStep }) =>
    kinds.map((kind) => ({
      tag: kinds.length > 1 ? `${tag} (${KIND_NAMES[kind]})` : tag,
      logged: tag,
      kind,
      runs,
      lastStep,
    })),
  )
}

export function usePrRocTags(runs: () => readonly string[]): TagSource<PrRocTag> {
  const source = useItemTags(runs, PR_ROC_KINDS)
  return { ...source, tags: computed(() => prRocTagsOf(source.tags.value)) }
}

export interface PrRocGroup {
  readonly id: string
  readonly items: readonly PrRocTag[]
}

/** Charts of tags that differ only in their last part, of one kind each. */
export function chartsOf(tags: readonly PrRocTag[]): readonly PrRocGroup[] {
  const charts = new Map<string, PrRocTag[]>()
  for (const item of tags) {
    const parent = item.logged.slice(0, Math.max(0, item.logged.lastIndexOf('/')))
    const id = `${parent ? `${parent}/` : ''}* (${KIND_NAMES[item.kind]})`
    const there = charts.get(id)
    if (there) there.push(item)
    else charts.set(id, [item])
  }
  return [...charts].map(([id, items]) => ({ id, items }))
}
