/** Sub-runs below the row of their training: fetched when the row is expanded, and inserted between its rows. */

import { computed, shallowRef, type ComputedRef } from 'vue'
import { useQuery } from '@/base/api/query'
import { fetchSubRuns, type TableQuery, type TableRow } from './api'
import type { Line } from './useRunRows'

/** Lines without sub-runs. */
export interface Lines {
  readonly count: ComputedRef<number>
  lineAt(index: number): Line | undefined
  look(from: number, to: number): void
}

export interface SubRuns extends Lines {
  isExpanded(row: TableRow): boolean
  toggle(row: TableRow): void
}

interface Insertion {
  /** The row that they stand below. */
  readonly at: number
  readonly lines: readonly Line[]
}

/** The part of the name of a sub-run below that of its row. */
const nameBelow = (name: string, row: TableRow): string =>
  name.startsWith(`${row.name}/`) ? name.slice(row.name.length + 1) : name

export function useSubRuns(query: () => TableQuery | null, rows: Lines): SubRuns {
  const expanded = shallowRef<ReadonlyMap<string, readonly string[]>>(new Map())
  const fetched = useQuery<ReadonlyMap<string, TableRow>>({
    key: () =>
      expanded.value.size > 0 && query() !== null ? JSON.stringify([query(), [...expanded.value]]) : null,
    fetch: async (signal) => {
      const subRuns = await fetchSubRuns(query()!, [...expanded.value.values()].flat(), signal)
      return new Map(subRuns.map((row) => [row.run, row]))
    },
    followsAnnotations: true,
  })

  const insertions = computed<readonly Insertion[]>(() => {
    const list: Insertion[] = []
    for (let at = 0; at < rows.count.value && list.length < expanded.value.size; at++) {
      const line = rows.lineAt(at)
      if (line?.kind !== 'run' || !expanded.value.has(line.row.run)) continue
      const lines = (line.row.sub_runs ?? []).flatMap(({ run }): readonly Line[] => {
        const row = fetched.answer.value?.get(run)
        return row
          ? [{ kind: 'run', row, depth: line.depth + 1, nameInRow: nameBelow(row.name, line.row) }]
          : []
      })
      list.push({ at, lines })
    }
    return list
  })
  const inserted = computed(() => insertions.value.reduce((sum, { lines }) => sum + lines.length, 0))

  /** The row at a place among all lines, or the sub-run there. */
  function place(index: number): number | Line {
    let rest = index
    for (const { at, lines } of insertions.value) {
      if (rest <= at) return rest
      if (rest <= at + lines.length) return lines[rest - at - 1]!
      rest -= lines.length
    }
    return rest
  }

  return {
    count: computed(() => rows.count.value + inserted.value),
    lineAt(index) {
      const at = place(index)
      return typeof at === 'number' ? rows.lineAt(at) : at
    },
    look: (from, to) => rows.look(Math.max(0, from - inserted.value), to),
    isExpanded: ({ run }) => expanded.value.has(run),
    toggle({ run, sub_runs }) {
      if (!sub_runs) return
      const next = new Map(expanded.value)
      if (!next.delete(run))
        next.set(
          run,
          sub_runs.map((each) => each.run),
        )
      expanded.value = next
    },
  }
}
