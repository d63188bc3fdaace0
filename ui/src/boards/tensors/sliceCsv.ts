/** A slice of a tensor as CSV. */

import type { Entry, TensorItem, Window } from './api'
import { exactText } from './grid/gridEntries'
import { arranged, gridOf, indexOf, windowOf, type Slice } from './slicing'

/** More would be no table but a file of numbers, which the service gives as such. */
const MOST_NUMBERS = 2_000_000
const MOST_AT_ONCE = 100_000

export class SliceTooLarge extends Error {}

const cellOf = (entry: Entry): string => {
  const text = exactText(entry)
  if (typeof entry !== 'string') return text
  // What a spreadsheet would run as a formula is marked as text.
  const marked = /^[=+@\t\r]|^-(?!\d)/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(marked) ? `"${marked.replace(/"/g, '""')}"` : marked
}

/** As the table shows it, a line for each row; of a vector, a line for each number. `fetch` gives rows of the service. */
export async function sliceCsv(
  item: TensorItem,
  slice: Slice,
  fetch: (index: string, window: Window) => Promise<readonly (readonly Entry[])[]>,
): Promise<string> {
  const grid = gridOf(item.shape, slice)
  if (grid.rows * grid.columns > MOST_NUMBERS || grid.columns > MOST_AT_ONCE) throw new SliceTooLarge()
  const lines: string[] = []
  const atOnce = Math.max(1, Math.floor(MOST_AT_ONCE / Math.max(1, grid.columns)))
  for (let row = 0; row < grid.rows; row += atOnce) {
    const cells = { row, rows: Math.min(atOnce, grid.rows - row), column: 0, columns: grid.columns }
    const rows = arranged(slice, grid, await fetch(indexOf(slice), windowOf(slice, grid, cells)))
    for (const entries of grid.wrap === null ? rows : rows.flat().map((entry) => [entry]))
      lines.push(entries.map(cellOf).join(','))
  }
  return lines.map((line) => `${line}\n`).join('')
}
