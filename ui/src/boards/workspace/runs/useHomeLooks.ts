/** How runs look on the home page: drawn ones have a colour each, the others the one that they prefer. */

import { computed, watch, type ComputedRef } from 'vue'
import { looksOfRuns, runColour, runLooks, type RunLooks, type RunName } from '@/board/runs/runLooks'
import type { TableRow } from './table/api'
import type { Home } from './useHome'

export interface RunLook {
  readonly isDrawn: boolean
  /** CSS colour of its curves. */
  readonly colour: string
  readonly name: RunName
}

export interface HomeLooks {
  readonly all: ComputedRef<RunLooks>
  of(row: TableRow): RunLook
}

/** The name that people see: theirs, the writer's, or that of the folder. */
export const nameOf = ({ name, display_name }: Pick<TableRow, 'name' | 'display_name'>): string =>
  name.endsWith(display_name) ? name : `${display_name} (${name})`

export function useHomeLooks(home: Home): HomeLooks {
  // Drawn runs come first: colours are given in this order.
  const all = computed(() => {
    const loaded = home.loaded.value
    const drawn = home.drawn.value.flatMap((run) => loaded.get(run) ?? [])
    const others = [...loaded.values()].filter(({ run }) => !home.isDrawn.value.has(run))
    // A row of sub-runs stands in charts for the first of them.
    const named = (row: TableRow) => ({
      id: row.run,
      name: row.sub_runs?.[0]?.name ?? nameOf(row),
      title: row.name.endsWith(row.display_name) ? '' : row.display_name,
      colour: row.colour || null,
    })
    const { names } = looksOfRuns([...drawn, ...others].map(named))
    return { names, colours: looksOfRuns(drawn.map(named)).colours }
  })
  const ofRows = computed(() => {
    const rows = [...home.loaded.value.values()]
    return looksOfRuns(rows.map((row) => ({ id: row.run, name: nameOf(row) }))).names
  })
  watch(all, (looks) => (runLooks.value = looks), { immediate: true })

  return {
    all,
    of: (row) => ({
      isDrawn: home.isDrawn.value.has(row.run),
      colour: runColour(row.run, row.colour || null),
      name: (row.sub_runs ? ofRows.value : all.value.names).get(row.run) ?? {
        lead: nameOf(row),
        rest: '',
        full: nameOf(row),
      },
    }),
  }
}
