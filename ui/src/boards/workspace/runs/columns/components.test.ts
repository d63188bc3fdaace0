import { beforeEach, expect, it, vi } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { FAILED, serve } from '@testing/service'
import type { Brush } from '@/boards/workspace/sheet/axes/axisTable'
import type { RunsTable, TableColumn } from '@/boards/workspace/runs/table/api'
import ColumnPanel from './ColumnPanel.vue'
import type { ColumnSet } from './columnSets'
import SetSaving from './SetSaving.vue'

beforeEach(() => layOut())

const column = (name: string, facts: Partial<TableColumn> = {}): TableColumn => ({
  name,
  label: name,
  group: 'hparam',
  type: 'float',
  count: 2,
  distinct: 2,
  is_constant: false,
  is_sparse: false,
  is_field: false,
  sources: [],
  tag: '',
  direction: '',
  status: 'ready',
  domain: null,
  ...facts,
})
const set = (name: string, facts: Partial<ColumnSet> = {}): ColumnSet => ({
  name,
  columns: ['hparam/lr'],
  sort: '',
  group_by: [],
  is_built_in: false,
  version: 3,
  ...facts,
})
const SETS = [set('models', { is_built_in: true, version: 0 }), set('mine')]
const query = { query: '', where: {}, sort: ['-acc'], columns: null, isWhole: false }

const panel = (facts: Readonly<Record<string, unknown>> = {}) => {
  const columns = [
    column('hparam/lr'),
    column('hparam/opt', { type: 'text' }),
    column('data/size', { group: 'data' }),
  ]
  return mountInPage(ColumnPanel, {
    props: {
      table: { columns, column_total: columns.length } as unknown as RunsTable,
      visible: ['hparam/lr'],
      sets: SETS,
      set: '',
      isSetChanged: false,
      brushes: new Map<string, Brush>(),
      query,
      groupBy: [],
      ...facts,
    },
  })
}

it('shows columns one by one, by group, by set, and of any scalar', async () => {
  serve({})
  const menu = panel()
  expect(byTestId(menu, 'columns-reset').attributes('aria-pressed')).toBe('true')

  await byTestId(menu, 'show-all-hparam').trigger('click')
  await byTestId(menu, 'show-none-hparam').trigger('click')
  await menu.find('[data-key="data/size"] input').setValue(true)
  await byTestId(menu, 'set-mine').trigger('click')
  await byTestId(menu, 'scalar-tag').setValue('loss')
  await menu.find('form').trigger('submit')

  expect(menu.emitted('show')).toEqual([
    [['hparam/lr', 'hparam/opt']],
    [[]],
    [['hparam/lr', 'data/size']],
    [['hparam/lr', 'scalar/loss/last']],
  ])
  expect(menu.emitted('set')).toEqual([['mine']])
})

it('finds columns that the service has not listed', async () => {
  const table = { columns: [column('hparam/lr')], column_total: 900 } as unknown as RunsTable
  serve({ 'runs/table': { columns: [column('hparam/rare')], rows: [], main_metric: null } })
  const menu = panel({ table })
  await byTestId(menu, 'column-search').setValue('rare')
  await vi.waitFor(() => expect(menu.find('[data-key="hparam/rare"]').exists()).toBe(true))
})

it('filters a column by a range, or by the values that runs have', async () => {
  const group = (value: string, n: number) => ({ values: [value], n, run: 'a', numbers: {}, shared: {} })
  serve({
    'runs/table': { columns: [], rows: [], main_metric: null, groups: [group('adam', 2), group('sgd', 1)] },
  })
  const menu = panel()
  await menu.find('[data-key="hparam/lr"] [data-testid=column-open]').trigger('click')
  await byTestId(menu, 'filter-from').setValue('0.1')
  await menu.find('[data-key="hparam/opt"] [data-testid=column-open]').trigger('click')
  await settle()
  await menu.find('[data-value=sgd]').setValue(false)

  expect(menu.emitted('brush')).toEqual([
    ['hparam/lr', { kind: 'range', lo: 0.1, hi: Infinity }],
    ['hparam/opt', { kind: 'names', names: ['adam'] }],
  ])
})

const content = { columns: ['a', 'b'], sort: '-a', group_by: ['c'] }
const saving = (selected: ColumnSet | null) =>
  mountInPage(SetSaving, { props: { sets: SETS, selected, content } })
const bodies = (): unknown[] => {
  const sent: unknown[] = []
  const served = globalThis.fetch
  vi.stubGlobal('fetch', (input: string, options?: RequestInit) => {
    sent.push(typeof options?.body === 'string' ? JSON.parse(options.body) : input)
    return served(input, options)
  })
  return sent
}

it('saves columns, order and groups under a new name, and never under that of a built-in set', async () => {
  serve({ 'runs/table/column-sets': set('new') })
  const sent = bodies()
  const form = saving(null)
  await byTestId(form, 'set-name').setValue('models')
  expect(byTestId(form, 'set-save').attributes('disabled')).toBe('')

  await byTestId(form, 'set-name').setValue('new')
  await form.find('form').trigger('submit')
  await settle()
  expect(sent).toEqual([{ ...content, name: 'new', version: 0 }])
  expect(form.emitted('saved')).toEqual([['new']])
})

it('asks before it replaces what somebody else has changed', async () => {
  const conflict = { field: 'mine', yours: {}, current: {}, version: 9 }
  serve({
    'runs/table/column-sets': () =>
      Response.json(
        { error: { code: 'conflict', message: 'changed', details: { conflicts: [conflict] } } },
        { status: 409 },
      ),
  })
  const form = saving(SETS[1]!)
  await byTestId(form, 'set-update').trigger('click')
  await settle()
  expect(byTestId(form, 'set-conflict').text()).toContain('mine')

  serve({ 'runs/table/column-sets': set('mine', { version: 10 }) })
  const sent = bodies()
  await byTestId(form, 'set-overwrite').trigger('click')
  await settle()
  expect(sent).toEqual([{ ...content, name: 'mine', version: 9 }])
  expect(byTestId(form, 'set-conflict').exists()).toBe(false)
})

it('deletes a set by the version that was shown, after it has asked', async () => {
  serve({ 'runs/table/column-sets': { name: 'mine' } })
  const sent = bodies()
  const form = saving(SETS[1]!)
  await byTestId(form, 'set-delete').trigger('click')
  expect(sent).toEqual([])
  await byTestId(form, 'set-really-delete').trigger('click')
  await settle()
  expect(sent).toEqual(['/v1/runs/table/column-sets?name=mine&version=3'])
  expect(form.emitted('deleted')).toHaveLength(1)
})

it('says why a set could not be saved', async () => {
  serve({ 'runs/table/column-sets': FAILED })
  const form = saving(SETS[1]!)
  await byTestId(form, 'set-update').trigger('click')
  await settle()
  expect(byTestId(form, 'set-failure').text()).toContain('the disk is on fire')
})
