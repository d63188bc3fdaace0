import { beforeEach, expect, it } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { runWindow, sampleRun } from '@testing/runs'
import { FAILED, PENDING, serve } from '@testing/service'
import RebuildingChip from './RebuildingChip.vue'
import RunChoice from './RunChoice.vue'
import RunPicker from './RunPicker.vue'
import RunTick from './RunTick.vue'
import { runName } from './runName'

const mlp = sampleRun('mlp')
const cnn = sampleRun('cnn')
const rnn = sampleRun('rnn')

beforeEach(() => layOut(300, 400))

it('selects a run by its checkbox, and only that run by double click', async () => {
  const tick = mountInPage(RunTick, {
    props: { run: mlp, name: { lead: 'mlp', rest: '', full: 'mlp' }, isTicked: true },
  })
  const box = tick.find('input')
  expect(box.element.checked).toBe(true)

  await box.trigger('change')
  await tick.trigger('dblclick')
  expect(tick.emitted('toggle')).toHaveLength(1)
  expect(tick.emitted('only')).toHaveLength(1)
})

it('names runs by what differs, the whole name on hover', async () => {
  const named = sampleRun('2024/run-7', { display_name: 'baseline' })
  serve({ runs: runWindow(named, sampleRun('2024/run-8-lr0.1'), sampleRun('2024/run-8-lr0.01')) })
  const wrapper = picker({ chosen: [], known: new Map() })
  await settle()

  const rows = wrapper.findAll('[data-testid=picker-run]')
  expect(rows.map((row) => row.find('.lead').text())).toEqual(['baseline', 'run-8-lr0.1', 'run-8-lr0.01'])
  expect(rows.map((row) => row.find('.label').attributes('title'))).toEqual([
    'baseline (2024/run-7)',
    '2024/run-8-lr0.1',
    '2024/run-8-lr0.01',
  ])
})

it('names a run once when its name only repeats its folder', () => {
  expect(runName(sampleRun('visualdl/sgd', { display_name: 'sgd' }))).toBe('visualdl/sgd')
  expect(runName(sampleRun('visualdl/sgd', { display_name: 'gd' }))).toBe('gd (visualdl/sgd)')
  expect(runName(sampleRun('visualdl/sgd'))).toBe('visualdl/sgd')
})

it('names runs that are being rebuilt, and counts those beyond the first three', async () => {
  const service = serve({ runs: runWindow(cnn) })
  const chip = mountInPage(RebuildingChip, {
    props: { runs: ['a', 'b', 'cnn', 'd', 'e'], names: new Map([['a', 'first']]) },
  })
  await settle()

  expect(chip.text()).toMatch(/first, b, cnn \+2/)
  expect(chip.attributes('role')).toBe('status')
  expect(service.requests).toHaveLength(1)
  expect(service.requests[0]).not.toContain('run=a') // known already
})

const picker = (props: Readonly<Record<string, unknown>> = {}) =>
  mountInPage(RunPicker, {
    props: { chosen: ['mlp'], known: new Map([['mlp', mlp]]), filter: '', ...props },
  })
const listed = (wrapper: ReturnType<typeof picker>): (string | undefined)[] =>
  wrapper.findAll('[data-testid=picker-run]').map((row) => row.attributes('data-run'))

it('lists no runs, and does not call that empty, while they are loading', async () => {
  serve({ runs: PENDING })
  const wrapper = picker()
  await settle()

  expect(listed(wrapper)).toEqual([])
  expect(wrapper.find('.none').exists()).toBe(false)
})

it('says that no run matches', async () => {
  serve({ runs: runWindow() })
  const wrapper = picker({ chosen: [] })
  await settle()

  expect(wrapper.find('.none').exists()).toBe(true)
})

it('says that runs failed to load, and retries', async () => {
  serve({ runs: FAILED })
  const wrapper = picker({ chosen: [] })
  await settle()
  expect(byTestId(wrapper, 'runs-failed').text()).toContain('the disk is on fire')

  serve({ runs: runWindow(cnn) })
  await byTestId(wrapper, 'runs-retry').trigger('click')
  await settle()
  expect(byTestId(wrapper, 'runs-failed').exists()).toBe(false)
  expect(listed(wrapper)).toEqual(['cnn'])
})

it('selects one more run, one less, one alone, all and none', async () => {
  serve({ runs: runWindow(mlp, cnn, rnn) })
  const wrapper = picker()
  await settle()
  expect(listed(wrapper)).toEqual(['mlp', 'cnn', 'rnn'])

  await wrapper.find('[data-run=cnn] input').trigger('change')
  await wrapper.find('[data-run=mlp] input').trigger('change')
  await wrapper.find('[data-run=rnn]').trigger('dblclick')
  await byTestId(wrapper, 'runs-select-shown').trigger('click')
  await settle()
  await byTestId(wrapper, 'runs-select-none').trigger('click')

  expect(wrapper.emitted('choose')).toEqual([
    [['mlp', 'cnn']],
    [[]],
    [['rnn']],
    [['mlp', 'cnn', 'rnn']],
    [[]],
  ])
})

it('lists the selected runs alone, and keeps one there that is deselected', async () => {
  serve({ runs: runWindow(mlp, cnn, rnn) })
  const known = new Map([mlp, rnn].map((run) => [run.id, run]))
  const wrapper = picker({ chosen: ['mlp', 'rnn'], known })
  await settle()

  await byTestId(wrapper, 'runs-list-chosen').trigger('click')
  expect(listed(wrapper).sort()).toEqual(['mlp', 'rnn'])
  await wrapper.setProps({ chosen: ['rnn'] })
  expect(listed(wrapper).sort()).toEqual(['mlp', 'rnn'])
})

it('marks a filter that is not a regular expression', async () => {
  serve({ runs: runWindow(mlp) })
  const wrapper = picker({ filter: 'm[' })
  await settle()
  expect(byTestId(wrapper, 'run-filter').attributes('aria-invalid')).toBe('true')

  await byTestId(wrapper, 'run-filter').setValue('m')
  expect(wrapper.emitted('filter')).toEqual([['m']])
})

it('selects one run out of many by a filtered list', async () => {
  const choice = mountInPage(RunChoice, {
    props: { runs: [mlp, cnn, rnn], chosen: 'mlp', label: 'Baseline' },
  })
  const button = byTestId(choice, 'run-choice')
  expect(button.text()).toBe('Baseline: mlp')

  await button.trigger('click')
  await settle()
  await byTestId(choice, 'run-choice-filter').setValue('nn')
  await settle()
  const options = choice.findAll('[data-testid=run-option]')
  expect(options.map((option) => option.text())).toEqual(['cnn', 'rnn'])

  await options[1]!.trigger('click')
  expect(choice.emitted('choose')).toEqual([['rnn']])
  expect(byTestId(choice, 'run-choice-filter').exists()).toBe(false)
})

it('says that the filter leaves no run', async () => {
  const choice = mountInPage(RunChoice, { props: { runs: [mlp], chosen: null, label: 'Baseline' } })
  await byTestId(choice, 'run-choice').trigger('click')
  await byTestId(choice, 'run-choice-filter').setValue('transformer')
  await settle()

  expect(choice.findAll('[data-testid=run-option]')).toEqual([])
  expect(choice.find('p').exists()).toBe(true)
})
