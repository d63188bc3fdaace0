/** The tags of PR and ROC curves; a tag with both has a card for each. */

import { computed } from 'vue'
import { ANSWER_KINDS, type AnswerKind } from '@/api/answerCurves'
import { useItemTags, type ItemTag, type TagSource } from './itemTags'
import type { BoardTag } from './tagBoard'

export interface CurveTag extends BoardTag {
  readonly kind: AnswerKind
  /** As it was logged; `tag` is how the card is called. */
  readonly logged: string
}

const KIND_NAMES: Readonly<Record<AnswerKind, string>> = { pr_curves: 'PR', roc_curves: 'ROC' }

export function curveTagsOf(tags: readonly ItemTag<AnswerKind>[]): readonly CurveTag[] {
  return tags.flatMap(({ tag, kinds, runs, lastStep }) =>
    kinds.map((kind) => ({ tag: kinds.length > 1 ? `${tag} (${KIND_NAMES[kind]})` : tag, logged: tag, kind, runs, lastStep })))
}

export function useCurveTags(runs: () => readonly string[]): TagSource<CurveTag> {
  const source = useItemTags(runs, ANSWER_KINDS)
  return { ...source, tags: computed(() => curveTagsOf(source.tags.value)) }
}

export interface CurveChart {
  readonly id: string
  readonly items: readonly CurveTag[]
}

/** Charts of tags that differ only in their last part, of one kind each. */
export function chartsOf(tags: readonly CurveTag[]): readonly CurveChart[] {
  const charts = new Map<string, CurveTag[]>()
  for (const item of tags) {
    const parent = item.logged.slice(0, Math.max(0, item.logged.lastIndexOf('/')))
    const id = `${parent ? `${parent}/` : ''}* (${KIND_NAMES[item.kind]})`
    const there = charts.get(id)
    if (there) there.push(item)
    else charts.set(id, [item])
  }
  return [...charts].map(([id, items]) => ({ id, items }))
}
