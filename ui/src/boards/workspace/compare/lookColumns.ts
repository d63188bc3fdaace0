/** The columns that groups, colours, dashes and charts may follow. */

import { computed, type ComputedRef } from 'vue'
import { useQuery, type QueryState } from '@/base/api/query'
import {
  fetchLineage,
  type LineageAnswer,
  type LineageColumn,
  type LineageTable,
} from '@/boards/workspace/lineage/api'
import { w } from './words'

/** Names, notes and times are different for every run. */
const UNFIT = ['run', 'note', 'created_at', 'updated_at', 'bytes']

/** Of so many tags what they came to is offered. */
const MOST_TAGS = 20
const REDUCTIONS = ['last', 'min', 'max'] as const

export type LookColumn = Pick<LineageColumn, 'name' | 'label' | 'group'>

/** Of models and data processing; and of scalars, which are too many values for anything but colours. */
export function useLookColumns(
  tags: () => readonly string[],
  canAsk: () => boolean,
): {
  readonly columns: ComputedRef<readonly LookColumn[]>
  readonly scalars: ComputedRef<readonly LookColumn[]>
} {
  const columnsOf = (table: LineageTable): QueryState<LineageAnswer> =>
    useQuery({
      key: () => (canAsk() ? table : null),
      fetch: (signal) => fetchLineage(table, { query: '', limit: 0 }, signal),
    })
  const [models, stages] = [columnsOf('models'), columnsOf('datasets')]
  return {
    columns: computed(() => [
      ...(models.answer.value?.columns ?? []).filter(({ name }) => !UNFIT.includes(name)),
      ...(stages.answer.value?.columns ?? []).filter(({ group }) => group === 'pipeline'),
    ]),
    scalars: computed(() =>
      tags()
        .slice(0, MOST_TAGS)
        .flatMap((tag) =>
          REDUCTIONS.map((how) => ({
            name: `scalar/${tag}/${how}`,
            label: `${tag} · ${w.value.columns[how]}`,
            group: 'scalar',
          })),
        ),
    ),
  }
}
