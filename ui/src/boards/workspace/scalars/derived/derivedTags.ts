/** The tags of the curve workspace: those of the runs, and the charts that people made. */

import { computed } from 'vue'
import { groupTags, type TagGroup } from '@/base/groups'
import type { TagSource } from '@/board/tags/itemTags'
import { derivedChart, isDerived, tagOf } from './derivedCharts'
import { useScalarTags, type ScalarBoardTag } from '../scalarTags'

/** The tags of the runs, and the charts of the view as tags of all runs: which have what they name, the service finds. */
export const withDerived =
  (charts: () => readonly string[]) =>
  (runs: () => readonly string[], filter: () => string = () => ''): TagSource<ScalarBoardTag> => {
    const source = useScalarTags(runs, filter)
    return {
      ...source,
      tags: computed(() =>
        source.tags.value.length === 0
          ? []
          : [
              ...charts().map((text) => ({
                tag: tagOf(derivedChart(text)),
                runs: runs(),
                lastStep: -Infinity,
                nonFinite: 0,
              })),
              ...source.tags.value,
            ],
      ),
    }
  }

/** Groups of tags, those that people made first. */
export function groupsWithDerived(items: readonly ScalarBoardTag[], name: string): readonly TagGroup[] {
  const tags = items.map(({ tag }) => tag)
  const own = tags.filter(isDerived)
  const others = groupTags(tags.filter((tag) => !isDerived(tag)))
  return own.length > 0 ? [{ prefix: name, tags: own }, ...others] : others
}
