/** What a report has of the home page besides its charts: the rows that are here, and the drawing. */

import { provideReport } from '@/board/report/collecting'
import { reportTable } from '@/board/report/runTable'
import type { Picture } from '@/plot/picture'
import { columnLabel } from './columns/columnWords'
import { cellText } from './table/columns'
import { w } from './table/words'
import type { Home } from './useHome'
import { nameOf } from './useHomeLooks'

export function useHomeReport({ columns, rows }: Home, picture: () => Picture | undefined): void {
  provideReport(() => {
    const drawing = picture()
    return {
      ...(drawing ? { pictures: [drawing] } : {}),
      tables: [
        reportTable(
          w.value.table,
          [w.value.run, ...columns.value.map(columnLabel)],
          rows.loaded.value.map((row) => [
            nameOf(row),
            ...columns.value.map(({ name }) => cellText(name, row.values[name])),
          ]),
        ),
      ],
    }
  })
}
