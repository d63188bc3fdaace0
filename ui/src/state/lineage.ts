/** The lineage table of all runs that a query keeps, kept up to date. */

import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { ApiError, isAbort } from '@/api/client'
import { fetchLineage, type LineageAnswer, type LineageColumn, type LineageTable } from '@/api/lineage'
import { noteRefusal, onChanges } from './live'

export interface LineageSource {
  /** null before the first answer. */
  readonly answer: Readonly<ShallowRef<LineageAnswer | null>>
  /** The query that it answers; another may be under way. */
  readonly answered: Readonly<ShallowRef<string>>
  /** All columns there are, also those that are not asked for. */
  readonly columns: Readonly<ShallowRef<readonly LineageColumn[]>>
  readonly error: Readonly<ShallowRef<unknown>>
  /** What is wrong with the query. */
  readonly complaint: Readonly<ShallowRef<ApiError | null>>
  /** Ask again, as after a change of one's own. */
  reload(): void
}

/** Rows that a browser can hold and draw at once. */
export const MOST_ROWS = 10_000

/** An answer that took long is asked for again only after several times as long: training may log every second. */
const REST = 4
const LEAST_MS = 1500

export function useLineage(table: () => LineageTable, query: () => string, wanted: (columns: readonly LineageColumn[]) => readonly string[]): LineageSource {
  const answer = shallowRef<LineageAnswer | null>(null)
  const answered = shallowRef('')
  const columns = shallowRef<readonly LineageColumn[]>([])
  const error = shallowRef<unknown>(null)
  const complaint = shallowRef<ApiError | null>(null)
  let abort: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let restsUntil = 0

  async function load(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    abort?.abort()
    const mine = (abort = new AbortController())
    const began = performance.now()
    try {
      const { columns: known } = await fetchLineage(table(), { query: '', limit: 0 }, mine.signal)
      const asked = query()
      const found = await fetchLineage(table(), { query: asked, columns: wanted(known), limit: MOST_ROWS }, mine.signal)
      if (mine.signal.aborted) return
      columns.value = known
      answer.value = found
      answered.value = asked
      error.value = complaint.value = null
    } catch (problem) {
      if (mine.signal.aborted || isAbort(problem)) return
      noteRefusal(problem)
      if (problem instanceof ApiError && problem.status === 400 && 'position' in problem.details) complaint.value = problem
      else error.value = problem
    }
    const now = performance.now()
    restsUntil = now + Math.max(LEAST_MS, REST * (now - began))
  }

  watch(() => JSON.stringify([table(), query(), wanted(columns.value)]), () => void load(), { immediate: true })
  onChanges(() => {
    timer ??= setTimeout(() => void load(), Math.max(0, restsUntil - performance.now()))
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    abort?.abort()
  })

  return { answer, answered, columns, error, complaint, reload: () => void load() }
}
