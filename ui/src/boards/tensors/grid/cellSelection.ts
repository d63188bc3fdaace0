/** The cell where somebody is in a table, and the rectangle of cells that is selected. */

export interface Selection {
  readonly row: number
  readonly column: number
  /** The corner opposite to the cell itself. */
  readonly fromRow: number
  readonly fromColumn: number
}

export const cellAt = (row: number, column: number): Selection => ({
  row,
  column,
  fromRow: row,
  fromColumn: column,
})

export const isSelected = (
  { row, column, fromRow, fromColumn }: Selection,
  atRow: number,
  atColumn: number,
): boolean =>
  atRow >= Math.min(row, fromRow) &&
  atRow <= Math.max(row, fromRow) &&
  atColumn >= Math.min(column, fromColumn) &&
  atColumn <= Math.max(column, fromColumn)

export interface Table {
  readonly rows: number
  readonly columns: number
  /** Rows that are in view together. */
  readonly page: number
}

/** Where a key leads; null when it is none of these. Shift keeps the opposite corner. */
export function moved(
  from: Selection,
  key: string,
  { rows, columns, page }: Table,
  isFar: boolean,
  isSelecting: boolean,
): Selection | null {
  const target = ((): readonly [number, number] | null => {
    const { row, column } = from
    switch (key) {
      case 'ArrowUp':
        return [isFar ? 0 : row - 1, column]
      case 'ArrowDown':
        return [isFar ? rows - 1 : row + 1, column]
      case 'ArrowLeft':
        return [row, isFar ? 0 : column - 1]
      case 'ArrowRight':
        return [row, isFar ? columns - 1 : column + 1]
      case 'PageUp':
        return [row - page, column]
      case 'PageDown':
        return [row + page, column]
      case 'Home':
        return [isFar ? 0 : row, 0]
      case 'End':
        return [isFar ? rows - 1 : row, columns - 1]
      default:
        return null
    }
  })()
  if (!target) return null
  const [row, column] = [
    Math.max(0, Math.min(rows - 1, target[0])),
    Math.max(0, Math.min(columns - 1, target[1])),
  ]
  return isSelecting ? { ...from, row, column } : cellAt(row, column)
}

/** More than this is no selection to paste somewhere. */
const MOST_COPIED = 100_000

/** The selected cells as a spreadsheet takes them. */
export function copiedText(
  { row, column, fromRow, fromColumn }: Selection,
  textAt: (row: number, column: number) => string,
): string {
  const [top, left] = [Math.min(row, fromRow), Math.min(column, fromColumn)]
  const across = Math.abs(column - fromColumn) + 1
  const down = Math.min(Math.abs(row - fromRow) + 1, Math.ceil(MOST_COPIED / across))
  return Array.from({ length: down }, (_, r) =>
    Array.from({ length: across }, (__, c) => textAt(top + r, left + c)).join('\t'),
  ).join('\n')
}
