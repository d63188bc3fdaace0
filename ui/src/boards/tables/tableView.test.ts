import { describe, expect, test } from 'vitest'
import { nextSort, readCondition, readSort, tableView, writeCondition, writeSort } from './tableView'

describe('the view of a board of tables', () => {
  test.each(['score', 'a@b', '50 %', '-x', '列:1', ''])('keeps the column %j in an address', (column) => {
    const sort = { column, isDescending: true }
    expect(readSort(writeSort(sort))).toEqual(sort)
    const condition = { column, comparison: '<', value: 'a@b:c %' } as const
    expect(readCondition(writeCondition(condition))).toEqual(condition)
  })

  test('is read from its own address', () => {
    const view = {
      ...tableView.defaults,
      find: 'cat',
      sorts: new Map([['eval@1', { column: 'a@b', isDescending: false }]]),
    }
    const { query, hash } = tableView.write(view) as { query: string; hash?: string }
    expect(tableView.read(query, hash)).toEqual(view)
  })

  test.each(['', 'score', '%', '+%'])('does not take %j for a sort', (text) => {
    expect(readSort(text)).toBeNull()
  })

  test.each(['', 'a', 'a:=', 'a:~:b', 'a:=:b:c', '%:=:b'])('does not take %j for a condition', (text) => {
    expect(readCondition(text)).toBeNull()
  })

  test('sorts ascending, descending, and then not', () => {
    const first = nextSort(null, 'a')
    const second = nextSort(first, 'a')
    expect([first?.isDescending, second?.isDescending, nextSort(second, 'a')]).toEqual([false, true, null])
    expect(nextSort(second, 'b')).toEqual({ column: 'b', isDescending: false })
  })
})
