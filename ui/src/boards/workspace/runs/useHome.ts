/** The state of the home page: the rows of the table, which of them are drawn, and how they look. */

import { computed, shallowRef, watch, type ComputedRef, type ShallowRef } from 'vue'
import { useQuery } from '@/base/api/query'
import { chosenRuns } from '@/base/selection'
import type { ViewState } from '@/base/url/useView'
import type { HomeView } from './homeView'
import {
  fetchRows,
  fetchRunIds,
  fetchSubRuns,
  runsOf,
  type RunsTable,
  type TableColumn,
  type TableQuery,
  type TableRow,
} from './table/api'
import { whereOf } from './filters'
import { useColumnSets, type ColumnSets } from './columns/useColumnSets'
import { BESIDE_NAME } from './table/columns'
import { useRunRows, type RunRows } from './table/useRunRows'

/** Runs in the charts when nobody has selected any. */
export const FIRST_DRAWN = 10
/** Drawn runs outside the table whose names are fetched. */
const MOST_ELSEWHERE = 1000

export interface Home {
  readonly rows: RunRows
  readonly query: ComputedRef<TableQuery>
  readonly sets: ColumnSets
  /** Columns that runs are grouped by, outermost first. */
  readonly group: ComputedRef<readonly string[]>
  /** Of the newest response; null before the first. */
  readonly table: ComputedRef<RunsTable | null>
  /** Visible columns in order, without what stands beside the name. */
  readonly columns: ComputedRef<readonly TableColumn[]>
  /** Ids of the runs in the charts. */
  readonly drawn: ComputedRef<readonly string[]>
  readonly isDrawn: ComputedRef<ReadonlySet<string>>
  /** Rows that stay on top: pinned runs and the baseline. */
  readonly pinned: ComputedRef<readonly TableRow[]>
  readonly baseline: ComputedRef<TableRow | null>
  /** By run, every row that has been fetched for what is shown. */
  readonly loaded: ComputedRef<ReadonlyMap<string, TableRow>>
  /** The run that is pointed at, in the table or in a chart. */
  readonly pointed: ShallowRef<string | null>
  draw(runs: readonly string[], isOn: boolean): void
}

export function useHome({ view, update }: ViewState<HomeView>): Home {
  const sets = useColumnSets(() => view.value.set)
  const set = sets.current
  const named = computed(() => view.value.columns ?? set.value?.columns ?? null)
  const group = computed(() => view.value.group ?? set.value?.group_by ?? [])
  // Apart from the rest of the view: who ticks a row changes no filter.
  const brushes = computed(() => view.value.brushes)
  const where = computed(() => whereOf(brushes.value))
  const query = computed<TableQuery>(() => ({
    query: view.value.query,
    where: where.value,
    sort: (view.value.sort || (set.value?.sort ?? '')).split(',').filter(Boolean),
    columns: named.value,
    isWhole: view.value.isWhole,
  }))
  const rows = useRunRows(
    () => (sets.isKnown.value ? query.value : null),
    () => group.value,
  )
  const table = rows.table

  const columns = computed(() => {
    if (!table.value) return []
    const byName = new Map(table.value.columns.map((column) => [column.name, column]))
    // What runs are grouped by stands in the headings of the groups.
    return (named.value ?? table.value.suggested)
      .filter((name) => !BESIDE_NAME.includes(name) && !group.value.includes(name))
      .flatMap((name) => byName.get(name) ?? [])
  })

  // The first rows of the table are drawn. They are known with its first page, unless it shows groups.
  const firstOfGroups = useQuery<readonly string[]>({
    key: () =>
      group.value.length > 0 && view.value.runs === null && sets.isKnown.value
        ? JSON.stringify(query.value)
        : null,
    fetch: (signal) => fetchRunIds(query.value, FIRST_DRAWN, signal),
  })
  const first = computed<readonly string[]>((before) => {
    if (!table.value) return before ?? []
    const next =
      group.value.length > 0
        ? (firstOfGroups.answer.value ?? [])
        : rows.loaded.value.slice(0, FIRST_DRAWN).flatMap(runsOf)
    return before && before.join() === next.join() ? before : next
  })
  const drawn = computed(() => view.value.runs ?? first.value)
  const isDrawn = computed(() => new Set(drawn.value))
  watch(
    () => view.value.runs,
    (runs) => {
      if (runs !== null) chosenRuns.value = runs.length > 0 ? runs : null
    },
    { immediate: true },
  )

  const fixed = computed(() => [
    ...new Set([...(view.value.baseline === null ? [] : [view.value.baseline]), ...view.value.top]),
  ])
  const pinnedQuery = useQuery<readonly TableRow[]>({
    key: () => (fixed.value.length === 0 ? null : JSON.stringify([fixed.value, named.value])),
    fetch: (signal) => fetchRows(query.value, fixed.value, signal),
    followsAnnotations: true,
  })
  const pinned = computed(() => {
    const byRun = new Map(pinnedQuery.answer.value?.map((row) => [row.run, row]))
    return fixed.value.flatMap((run) => byRun.get(run) ?? [])
  })
  const baseline = computed(() => pinned.value.find(({ run }) => run === view.value.baseline) ?? null)

  // Runs that are drawn although the table does not show them at present.
  const elsewhere = computed(() => {
    const own = new Set([...rows.loaded.value, ...pinned.value].map(({ run }) => run))
    return drawn.value.filter((run) => !own.has(run)).slice(0, MOST_ELSEWHERE)
  })
  const elsewhereQuery = useQuery<readonly TableRow[]>({
    key: () => (table.value === null || elsewhere.value.length === 0 ? null : elsewhere.value.join()),
    fetch: (signal) => fetchSubRuns({ ...query.value, columns: ['run'] }, elsewhere.value, signal),
  })
  const loaded = computed(
    () =>
      new Map(
        [...(elsewhereQuery.answer.value ?? []), ...pinned.value, ...rows.loaded.value].map((row) => [
          row.run,
          row,
        ]),
      ),
  )

  function draw(runs: readonly string[], isOn: boolean): void {
    const next = new Set(drawn.value)
    for (const run of runs) next[isOn ? 'add' : 'delete'](run)
    update({ runs: [...next] })
  }

  return {
    rows,
    query,
    sets,
    group,
    table,
    columns,
    drawn,
    isDrawn,
    pinned,
    baseline,
    loaded,
    pointed: shallowRef(null),
    draw,
  }
}
