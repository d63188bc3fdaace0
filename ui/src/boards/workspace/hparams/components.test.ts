import { expect, it } from 'vitest'
import { byTestId, mountInPage, settle } from '@testing/mount'
import { FAILED, PENDING, serve } from '@testing/service'
import { columnOf } from '@/boards/workspace/sheet/sheet'
import type { Trial, Trials } from './api'
import HparamsPreview from './HparamsPreview.vue'
import HparamStrip from './HparamStrip.vue'
import { hparamView } from './hparamView'
import TrialSheet from './TrialSheet.vue'
import { w } from './words'

const trial: Trial = {
  run: 'mlp',
  session: 'mlp/1',
  runs: ['mlp'],
  group: '',
  status: 'success',
  started_at: 1_700_000_000,
  ended_at: null,
  values: { lr: 0.1, optimizer: 'adam', accuracy: 0.9375 },
}
const column = (name: string, group: 'hparam' | 'metric', type: 'float' | 'text' = 'float') => ({
  name,
  label: name,
  group,
  type,
  domain: null,
  description: '',
  declared: true,
})
const trials: Trials = {
  columns: [
    column('lr', 'hparam'),
    column('optimizer', 'hparam', 'text'),
    column('dropout', 'hparam'),
    column('accuracy', 'metric'),
  ],
  rows: [trial],
  errors: [],
}
const preview = () => mountInPage(HparamsPreview, { props: { run: 'mlp', tags: [] } })
const facts = (wrapper: ReturnType<typeof preview>): string[][] =>
  wrapper.findAll('[data-testid=tile-fact]').map((row) => row.findAll('td').map((cell) => cell.text()))

it('previews the values that the run has', async () => {
  const { requests } = serve({ hparams: trials })
  const wrapper = preview()
  await settle()

  expect(facts(wrapper)).toEqual([
    ['lr', '0.1'],
    ['optimizer', 'adam'],
    ['accuracy', '0.9375'],
  ])
  expect(requests).toEqual(['/v1/hparams?run=mlp&metric=last'])
})

it('previews numbers that JSON does not have', async () => {
  serve({ hparams: { ...trials, rows: [{ ...trial, values: { accuracy: 'NaN' } }] } })
  const wrapper = preview()
  await settle()

  expect(facts(wrapper)).toEqual([['accuracy', 'NaN']])
})

it('waits for hyper-parameters, says that there are none, and retries after a failure', async () => {
  serve({ hparams: PENDING })
  const waiting = preview()
  await settle()
  expect(byTestId(waiting, 'tile-skeleton').exists()).toBe(true)

  serve({ hparams: { columns: [], rows: [], errors: [] } })
  const empty = preview()
  await settle()
  expect(byTestId(empty, 'tile-skeleton').exists()).toBe(false)
  expect(facts(empty)).toEqual([])

  serve({ hparams: FAILED })
  const failed = preview()
  await settle()
  expect(byTestId(failed, 'state-failed').text()).toContain('the disk is on fire')
  serve({ hparams: trials })
  await byTestId(failed, 'retry').trigger('click')
  await settle()
  expect(facts(failed)).toHaveLength(3)
})

it('shows one session: its status, settings and results, and what is missing', () => {
  const columns = trials.columns.map(({ name, group }) =>
    columnOf({ key: name, label: name, group, values: [], hint: '' }),
  )
  const sheet = mountInPage(TrialSheet, { props: { trial, columns } })
  const value = (key: string): string => sheet.find(`[data-key=${key}] td`).text()

  expect(sheet.text()).toContain(w.value.statuses['success'])
  expect(['lr', 'optimizer', 'dropout', 'accuracy'].map(value)).toEqual(['0.1', 'adam', '–', '0.9375'])
  expect(sheet.findAll('section').map((section) => section.findAll('tr').length)).toEqual([3, 1])
})

it('changes the view, the search, the metric, and the colour of drawings', async () => {
  const columns = [columnOf({ key: 'lr', label: 'lr', group: 'hparam', values: [0.1] })]
  const strip = mountInPage(HparamStrip, { props: { view: hparamView.defaults, columns, colourKey: '' } })
  expect(byTestId(strip, 'colour-select').exists()).toBe(false) // a table has no colours

  await byTestId(strip, 'trial-search').setValue('adam')
  await byTestId(strip, 'metric-select').setValue('max')
  await strip.findAll('[role=radio]')[1]!.trigger('click')
  await strip.setProps({ view: { ...hparamView.defaults, tab: 'parallel' } })
  await byTestId(strip, 'colour-select').setValue('lr')

  expect(strip.emitted('change')).toEqual([
    [{ search: 'adam' }, 'refine'],
    [{ metric: 'max' }],
    [{ tab: 'parallel' }],
    [{ colour: 'lr' }],
  ])
})
