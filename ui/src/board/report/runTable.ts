import { t } from '@/i18n'
import { formatTime } from '@/base/numbers'
import type { Run } from '@/board/runs/api'
import type { ReportTable } from './report'
import { w } from './words'

const MOST_ROWS = 2000

/** Rows for a report, as many as it takes. */
export function reportTable(
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): ReportTable {
  return { title, head, rows: rows.slice(0, MOST_ROWS), cut: Math.max(0, rows.length - MOST_ROWS) }
}

/** Runs with what people have said of them. */
export const runTable = (runs: readonly Run[]): ReportTable =>
  reportTable(
    w.value.runs,
    [w.value.run, t.value.created, t.value.updated, w.value.labels, w.value.note],
    runs.map(({ name, created_at, updated_at, labels, note }) => [
      name,
      formatTime(created_at),
      formatTime(updated_at),
      labels.join(', '),
      note,
    ]),
  )
