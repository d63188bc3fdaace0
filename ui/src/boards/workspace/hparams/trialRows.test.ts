import { describe, expect, it } from 'vitest'
import { found, inOrder, sheetCsv, sorted } from '@/boards/workspace/sheet/sheet'
import type { Trial, TrialColumn, Trials } from './api'
import { shownAtFirst, trialSheet } from './trialRows'
import { w } from './words'

const column = (name: string, declared = true): TrialColumn => ({
  name,
  label: name.split('.')[1]!,
  group: name.startsWith('metric') ? 'metric' : 'hparam',
  type: 'float',
  domain: null,
  description: '',
  declared,
})
const row = (session: string, values: Trial['values']): Trial => ({
  run: session,
  session,
  runs: [session],
  group: '',
  status: 'success',
  started_at: 1,
  ended_at: null,
  values,
})

const trials: Trials = {
  columns: [column('hparam.lr'), column('hparam.opt'), column('metric.loss')],
  rows: [
    row('b10', { 'hparam.lr': 0.1, 'hparam.opt': 'adam', 'metric.loss': 2 }),
    row('b9', { 'hparam.lr': 0.01, 'hparam.opt': 'sgd', 'metric.loss': 1 }),
    row('a', { 'hparam.lr': 1, 'hparam.opt': '=adam,x' }),
    row('c', { 'hparam.lr': 1, 'hparam.opt': 'adam', 'metric.loss': NaN }),
  ],
  errors: [],
}
const sheet = trialSheet(trials, w.value)
const all = new Uint8Array(4).fill(1)
const names = (rows: readonly number[]): string[] => rows.map((at) => sheet.rows[at]!.name)

describe('sessions', () => {
  it('are sorted by name as people count, or by any column with missing values last', () => {
    expect(names(sorted(sheet, all, ''))).toEqual(['a', 'b9', 'b10', 'c'])
    expect(names(sorted(sheet, all, 'metric.loss'))).toEqual(['b9', 'b10', 'c', 'a'])
    expect(names(sorted(sheet, all, '-metric.loss'))).toEqual(['b10', 'b9', 'c', 'a'])
    expect(names(sorted(sheet, all, '-hparam.lr'))).toEqual(['a', 'c', 'b10', 'b9'])
  })

  it('are found by every word in name or values, with the columns they have', () => {
    const few = found(sheet, 'A dam,')
    expect(few.rows.map(({ name }) => name)).toEqual(['a'])
    expect(few.columns.map(({ key }) => key)).toEqual(['status', 'started', 'hparam.lr', 'hparam.opt'])
    expect(found(sheet, '')).toBe(sheet)
  })

  it('are written as CSV that no spreadsheet runs', () => {
    const text = sheetCsv(
      sheet,
      sheet.columns.filter(({ group }) => group === 'hparam'),
      [2, 0],
      'session',
    )
    expect(text).toBe('session,hparam.lr,hparam.opt\na,1,"\'=adam,x"\nb10,0.1,adam\n')
  })
})

it('shows few of the metrics that nobody named', () => {
  const many: Trials = {
    columns: [column('hparam.lr'), ...Array.from({ length: 20 }, (_, i) => column(`metric.m${i}`, false))],
    rows: [row('a', {})],
    errors: [],
  }
  expect(shownAtFirst(trialSheet(many, w.value).columns, many)).toHaveLength(2 + 1 + 8)
})

it('keeps the order people gave axes, new ones behind', () => {
  expect(inOrder(['a', 'b', 'c'], ['c', 'x'])).toEqual(['c', 'a', 'b'])
})
