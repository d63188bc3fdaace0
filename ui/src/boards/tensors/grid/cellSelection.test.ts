import { expect, it } from 'vitest'
import { cellAt, copiedText, isSelected, moved } from './cellSelection'

const TABLE = { rows: 100, columns: 5, page: 10 }

it('moves by keys and stays inside the table', () => {
  const at = (key: string, isFar = false): readonly number[] => {
    const { row, column } = moved(cellAt(50, 2), key, TABLE, isFar, false)!
    return [row, column]
  }

  expect(at('ArrowUp')).toEqual([49, 2])
  expect(at('ArrowRight', true)).toEqual([50, 4])
  expect(at('PageDown')).toEqual([60, 2])
  expect(at('Home')).toEqual([50, 0])
  expect(at('End', true)).toEqual([99, 4])
  expect(moved(cellAt(0, 0), 'ArrowUp', TABLE, false, false)).toEqual(cellAt(0, 0))
  expect(moved(cellAt(0, 0), 'x', TABLE, false, false)).toBeNull()
})

it('selects a rectangle and copies it', () => {
  const selection = moved(
    moved(cellAt(1, 1), 'ArrowDown', TABLE, false, true)!,
    'ArrowLeft',
    TABLE,
    false,
    true,
  )!

  expect(isSelected(selection, 2, 0)).toBe(true)
  expect(isSelected(selection, 3, 0)).toBe(false)
  expect(copiedText(selection, (row, column) => `${row}:${column}`)).toBe('1:0\t1:1\n2:0\t2:1')
})
