import { describe, expect, it } from 'vitest'
import type { Trial, TrialColumn, Trials } from '@/api/hparams'
import { columnsOf, found, inOrder, shownAtFirst, sorted, trialCsv } from './trialTable'

const column = (name: string, declared = true): TrialColumn => ({
  name, label: name.split('.')[1]!, group: name.startsWith('metric') ? 'metric' : 'hparam', type: 'float', domain: null, description: '', declared,
})
const row = (session: string, values: Trial['values']): Trial => ({ run: session, session, runs: [session], group: '', status: 'success', started_at: 1, ended_at: null, values })

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
const columns = columnsOf(trials)
const names = (rows: readonly number[]): string[] => rows.map((at) => trials.rows[at]!.session)
const all = new Uint8Array(4).fill(1)

describe('sessions', () => {
  it('are sorted by name as people count, or by any column with missing values last', () => {
    expect(names(sorted(trials, columns, all, ''))).toEqual(['a', 'b9', 'b10', 'c'])
    expect(names(sorted(trials, columns, all, 'metric.loss'))).toEqual(['b9', 'b10', 'c', 'a'])
    expect(names(sorted(trials, columns, all, '-metric.loss'))).toEqual(['b10', 'b9', 'c', 'a'])
    expect(names(sorted(trials, columns, all, '-hparam.lr'))).toEqual(['a', 'c', 'b10', 'b9'])
  })

  it('are found by words in their names and values', () => {
    expect(found(trials, 'B1 adam').rows.map(({ session }) => session)).toEqual(['b10'])
    expect(found(trials, 'a =adam').columns.map(({ name }) => name)).toEqual(['hparam.lr', 'hparam.opt'])
    expect(found(trials, ' ')).toBe(trials)
  })

  it('become CSV that no spreadsheet runs', () => {
    expect(trialCsv(trials, columns, [2, 0])).toBe(
      'session,status,started_at,ended_at,hparam.lr,hparam.opt,metric.loss\n' +
        'a,success,1,,1,"\'=adam,x",\n' +
        'b10,success,1,,0.1,adam,2\n',
    )
  })
})

describe('columns', () => {
  it('are all shown at first, but few of the metrics that nobody named', () => {
    const many = columnsOf({ ...trials, columns: [column('hparam.lr', false), ...Array.from({ length: 20 }, (_, i) => column(`metric.m${i}`, false))] })

    expect(shownAtFirst(columns)).toHaveLength(3)
    expect(shownAtFirst(many)).toHaveLength(9)
  })

  it('go where they were put', () => {
    expect(inOrder(['a', 'b', 'c'], ['c', 'gone'])).toEqual(['c', 'a', 'b'])
  })
})
