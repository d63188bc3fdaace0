/** Histograms as a table with one row per bucket, as it was written. */

import { nameCell } from '@/base/csv'
import type { HistogramSeries } from '@/plot/histogram/histogram'

const COLUMNS = [
  'run',
  'tag',
  'source',
  'step',
  'wall_time',
  'left',
  'right',
  'count',
  'nan',
  'pos_inf',
  'neg_inf',
]

/** CSV text; a step without buckets has one row whose bucket is empty. */
export function histogramCsv(series: readonly HistogramSeries[], nameOf: (run: string) => string): string {
  const rows = [COLUMNS.join(',')]
  for (const { run, tag, source, items } of series) {
    const names = [nameOf(run), tag, source].map(nameCell).join(',')
    for (const { step, wall, edges, counts, nan, posInf, negInf } of items) {
      const odd = `${nan},${posInf},${negInf}`
      if (counts.length === 0) rows.push(`${names},${step},${wall},,,,${odd}`)
      counts.forEach((count, i) =>
        rows.push(`${names},${step},${wall},${edges[i]},${edges[i + 1]},${count},${odd}`),
      )
    }
  }
  return `${rows.join('\n')}\n`
}
