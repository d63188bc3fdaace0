/** Asks again while the service computes columns. */

import { onScopeDispose, watch } from 'vue'
import type { RunsTable } from './api'

const AGAIN_MS = 1500

export function usePendingColumns(table: () => RunsTable | null, retry: () => void): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = (): void => clearTimeout(timer)
  watch(table, (newest) => {
    stop()
    if (newest?.columns.some(({ status }) => status === 'pending')) timer = setTimeout(retry, AGAIN_MS)
  })
  onScopeDispose(stop)
}
