/** Widths and places of the columns, by TanStack Table: dragged widths are remembered, the name stays in view. */

import {
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/vue-table'
import { computed, type ComputedRef } from 'vue'
import { remembered } from '@/base/storage'
import type { TableColumn, TableRow } from './api'
import { NAME, NAME_MIN_WIDTH, NAME_WIDTH, SPARK_WIDTH, widthOf } from './columns'

export interface ColumnHead {
  readonly name: string
  readonly width: number
  /** Starts dragging its right edge. */
  resize(event: Event): void
  reset(): void
}

const features = tableFeatures({ columnSizingFeature, columnResizingFeature, columnPinningFeature })
type Definition = ColumnDef<typeof features, TableRow>

const MIN_WIDTH = 48
/** Of the window, at most: on phones there is room for a value beside the name. */
const NAME_SHARE = 0.46

const isWidths = (value: unknown): value is Record<string, number> =>
  typeof value === 'object' && value !== null && Object.values(value).every(Number.isFinite)

export function useColumnModel(
  columns: () => readonly TableColumn[],
  mainColumn: () => string | null,
): ComputedRef<readonly ColumnHead[]> {
  const widths = remembered<Record<string, number>>('mi-column-widths', {}, isWidths)
  const definitions = computed<readonly Definition[]>(() => [
    { id: NAME, size: Math.min(NAME_WIDTH, NAME_SHARE * innerWidth), minSize: NAME_MIN_WIDTH },
    ...columns().map((column) => ({
      id: column.name,
      size: widthOf(column) + (column.name === mainColumn() ? SPARK_WIDTH : 0),
      minSize: MIN_WIDTH,
    })),
  ])
  const table = useTable<typeof features, TableRow>({
    features,
    columns: definitions,
    data: [],
    columnResizeMode: 'onChange',
    state: computed(() => ({
      columnSizing: widths.value,
      columnPinning: { start: [NAME], end: [] },
    })),
    onColumnSizingChange: (next) => {
      widths.value = typeof next === 'function' ? next(widths.value) : next
    },
  })
  return computed(() => {
    void definitions.value
    void widths.value
    return table.getLeafHeaders().map((header) => ({
      name: header.id,
      width: header.getSize(),
      resize: (event) => header.getResizeHandler()(event),
      reset: () => header.column.resetSize(),
    }))
  })
}
