/** The lines of the table of runs: runs or groups of them, as much as somebody looks at, kept up to date. */

import { computed, shallowRef, watch, type ComputedRef } from 'vue'
import { ApiError } from '@/base/api/client'
import { usePages } from '@/base/api/pages'
import { useQuery } from '@/base/api/query'
import { fetchTable, fetchWithin, type RunGroup, type RunsTable, type TableQuery, type TableRow } from './api'
import { usePendingColumns } from './usePendingColumns'
import { useSubRuns, type Lines, type SubRuns } from './useSubRuns'

/** While training writes. */
const REFETCH_MS = 2000
/** While the same runs go on logging. */
const STEADY_MS = 8000

export interface GroupLine {
  readonly kind: 'group'
  readonly group: RunGroup
  readonly isOpen: boolean
}

export interface RunLine {
  readonly kind: 'run'
  readonly row: TableRow
  /** How many groups it is in. */
  readonly depth: number
  /** Of a sub-run: its name below that of its row. */
  readonly nameInRow?: string
}

export type Line = GroupLine | RunLine

export interface RunRows {
  /** Everything but the rows; null before the first response. */
  readonly table: ComputedRef<RunsTable | null>
  /** Lines of the table. */
  readonly count: ComputedRef<number>
  readonly error: ComputedRef<unknown>
  /** What is wrong with the query. */
  readonly complaint: ComputedRef<ApiError | null>
  /** Runs that are missing, or whose values are, since they are being rebuilt. */
  readonly rebuilding: ComputedRef<readonly string[]>
  /** Every row that has been fetched, in order. */
  readonly loaded: ComputedRef<readonly TableRow[]>
  lineAt(index: number): Line | undefined
  look(from: number, to: number): void
  toggle(group: RunGroup): void
  readonly subRuns: Pick<SubRuns, 'isExpanded' | 'toggle'>
  retry(): void
}

const isAboutQuery = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 400 && 'position' in error.details

const keyOf = (values: RunGroup['values']): string => JSON.stringify(values)

interface Grouped {
  readonly table: RunsTable
  readonly lines: readonly Line[]
}

/** The groups with what is in the open ones. */
async function fetchGrouped(
  query: TableQuery,
  groupBy: readonly string[],
  open: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<Grouped> {
  async function linesOf({ groups, rows }: RunsTable, depth: number): Promise<readonly Line[]> {
    if (depth === groupBy.length) return rows.map((row) => ({ kind: 'run', row, depth }))
    const parts = await Promise.all(
      groups.map(async (group): Promise<readonly Line[]> => {
        const isOpen = open.has(keyOf(group.values))
        const line: Line = { kind: 'group', group, isOpen }
        if (!isOpen) return [line]
        const inner = await fetchWithin(query, groupBy, group.values, signal)
        return [line, ...(await linesOf(inner, depth + 1))]
      }),
    )
    return parts.flat()
  }
  const table = await fetchWithin(query, groupBy, [], signal)
  return { table, lines: await linesOf(table, 0) }
}

/** `query` is null until it is known. */
export function useRunRows(query: () => TableQuery | null, groupBy: () => readonly string[]): RunRows {
  const isGrouped = computed(() => groupBy().length > 0)
  const pages = usePages<RunsTable, TableRow>({
    key: () => (isGrouped.value || query() === null ? null : JSON.stringify(query())),
    fetch: (offset, limit, signal) => fetchTable(query()!, offset, limit, signal),
    rows: ({ rows }) => rows,
    followsAnnotations: true,
    minIntervalMs: REFETCH_MS,
    steadyIntervalMs: STEADY_MS,
  })
  const open = shallowRef<ReadonlySet<string>>(new Set())
  watch(
    () => groupBy().join('\n'),
    () => (open.value = new Set()),
  )
  const grouped = useQuery<Grouped>({
    key: () =>
      isGrouped.value && query() !== null ? JSON.stringify([query(), groupBy(), [...open.value]]) : null,
    fetch: (signal) => fetchGrouped(query()!, groupBy(), open.value, signal),
    followsAnnotations: true,
    minIntervalMs: REFETCH_MS,
    steadyIntervalMs: STEADY_MS,
  })

  const failure = computed(() => (isGrouped.value ? grouped.error.value : pages.error.value))
  const complaint = computed(() => (isAboutQuery(failure.value) ? failure.value : null))
  const lines = computed(() => (isGrouped.value ? (grouped.answer.value?.lines ?? []) : null))
  const rows: Lines = {
    count: computed(() => lines.value?.length ?? pages.page.value?.matching ?? 0),
    lineAt(index) {
      if (lines.value) return lines.value[index]
      const row = pages.at(index)
      return row && { kind: 'run', row, depth: 0 }
    },
    look: (from, to) => isGrouped.value || pages.look(from, to),
  }
  const subRuns = useSubRuns(query, rows)
  const table = computed(() => (isGrouped.value ? (grouped.answer.value?.table ?? null) : pages.page.value))
  const retry = (): void => void (isGrouped.value ? grouped.retry() : pages.retry())
  usePendingColumns(() => table.value, retry)
  return {
    table,
    count: subRuns.count,
    error: computed(() => (complaint.value ? null : failure.value)),
    complaint,
    rebuilding: computed(() => (isGrouped.value ? grouped.rebuilding.value : pages.rebuilding.value)),
    loaded: computed(() =>
      lines.value
        ? lines.value.flatMap((line) => (line.kind === 'run' ? [line.row] : []))
        : pages.pages.value.flatMap(({ rows }) => rows),
    ),
    lineAt: subRuns.lineAt,
    look: subRuns.look,
    subRuns,
    toggle({ values }) {
      const next = new Set(open.value)
      if (!next.delete(keyOf(values))) next.add(keyOf(values))
      open.value = next
    },
    retry,
  }
}
