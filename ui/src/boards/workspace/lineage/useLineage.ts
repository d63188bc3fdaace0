/** The lineage table of all runs that match a query, kept up to date. */

import { computed, type ComputedRef } from 'vue'
import { ApiError } from '@/base/api/client'
import { useQuery, type Loading } from '@/base/api/query'
import { fetchLineage, type LineageAnswer, type LineageColumn, type LineageTable } from './api'

export interface LineageSource extends Loading {
  /** null before the first response. */
  readonly answer: ComputedRef<LineageAnswer | null>
  /** The query that it answers; another may be under way. */
  readonly answered: ComputedRef<string>
  /** All columns there are, also those that are not shown. */
  readonly columns: ComputedRef<readonly LineageColumn[]>
  /** What is wrong with the query. */
  readonly complaint: ComputedRef<ApiError | null>
}

/** Rows that a browser can hold and draw at once. */
export const MOST_ROWS = 10_000

const isAboutQuery = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 400 && 'position' in error.details

/** Columns come and go more rarely than rows change. */
const COLUMNS_INTERVAL_MS = 5000

export function useLineage(
  table: () => LineageTable,
  query: () => string,
  wanted: (columns: readonly LineageColumn[]) => readonly string[],
): LineageSource {
  const all = useQuery<readonly LineageColumn[]>({
    key: table,
    fetch: async (signal) => (await fetchLineage(table(), { query: '', limit: 0 }, signal)).columns,
    minIntervalMs: COLUMNS_INTERVAL_MS,
    clears: true,
    keepsEqual: true,
  })
  const rows = useQuery<{
    readonly query: string
    readonly columns: readonly LineageColumn[]
    readonly page: LineageAnswer
  }>({
    key: () => all.answer.value && JSON.stringify([table(), query(), wanted(all.answer.value)]),
    async fetch(signal) {
      const [columns, text] = [all.answer.value!, query()]
      const page = await fetchLineage(
        table(),
        { query: text, columns: wanted(columns), limit: MOST_ROWS },
        signal,
      )
      return { query: text, columns, page }
    },
    followsAnnotations: true,
  })
  const error = computed(() => all.error.value ?? rows.error.value)
  const complaint = computed(() => (isAboutQuery(error.value) ? error.value : null))
  return {
    ...rows,
    answer: computed(() => rows.answer.value?.page ?? null),
    answered: computed(() => rows.answer.value?.query ?? ''),
    columns: computed(() => rows.answer.value?.columns ?? []),
    error: computed(() => (complaint.value ? null : error.value)),
    complaint,
    retry: () => void (all.error.value ? all.retry() : rows.retry()),
  }
}
