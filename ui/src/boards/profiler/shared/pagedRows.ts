/** A table of the service of which only the rows in view are fetched. */

import type { TableColumn } from '@rest'
import { usePages, type Pages } from '@/base/api/pages'

export type Cell = string | number | boolean | null
export type Row = Readonly<Record<string, Cell>>

/** A column of the service, or of the page: `value` is any number. */
export type Column = Omit<TableColumn, 'kind'> & { readonly kind: TableColumn['kind'] | 'value' }

export interface Page {
  readonly total: number
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export function usePagedRows<P extends Page>(
  query: () => unknown,
  fetch: (page: { readonly offset: number; readonly limit: number }, signal: AbortSignal) => Promise<P>,
): Pages<P, Row> {
  return usePages<P, Row>({
    key: () => JSON.stringify(query()),
    fetch: (offset, limit, signal) => fetch({ offset, limit }, signal),
    rows: ({ rows }) => rows,
    // A recording stays as it is.
    concerns: () => false,
    debounceMs: 150,
  })
}
