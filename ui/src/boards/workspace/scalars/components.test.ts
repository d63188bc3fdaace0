import { beforeEach, expect, it, vi } from 'vitest'
import { byTestId, layOut, mountInPage } from '@testing/mount'
import { FAILED, PENDING, serve } from '@testing/service'
import LimitsForm from './LimitsForm.vue'
import ScalarsPreview from './ScalarsPreview.vue'
import ScalarStrip from './ScalarStrip.vue'
import { scalarView } from './scalarView'
import SmoothingField from './SmoothingField.vue'

beforeEach(() => layOut())

it('smooths by slider and by number, within what smoothing allows', async () => {
  const field = mountInPage(SmoothingField, { props: { smoothing: 0.6 } })
  expect((byTestId(field, 'smoothing-value').element as HTMLInputElement).value).toBe('0.6')

  await byTestId(field, 'smoothing-value').setValue('0.25')
  await byTestId(field, 'smoothing-value').setValue('7')
  await byTestId(field, 'smoothing-value').setValue('-1')
  await byTestId(field, 'smoothing').setValue('0.5')
  expect(field.emitted('change')).toEqual([[0.25], [0.999], [0], [0.5]])
})

it('sets one limit or both, removes them, and refuses what is not a number', async () => {
  const form = mountInPage(LimitsForm, { props: { limits: { lower: null, upper: 2 } } })
  expect((byTestId(form, 'limit-upper').element as HTMLInputElement).value).toBe('2')

  await byTestId(form, 'limit-lower').setValue('-1e-3')
  await form.trigger('submit')
  await byTestId(form, 'limit-remove').trigger('click')
  expect(form.emitted('change')).toEqual([[{ lower: -0.001, upper: 2 }], [{ lower: null, upper: null }]])

  await byTestId(form, 'limit-upper').setValue('high')
  expect(byTestId(form, 'limit-upper').attributes('aria-invalid')).toBe('true')
  expect(byTestId(form, 'limit-apply').attributes('disabled')).toBe('')
})

it('changes all cards at once, and drops what single cards had otherwise', async () => {
  const view = { ...scalarView.defaults, zooms: new Map([['loss', { x: [0, 1], left: null, right: null }]]) }
  const strip = mountInPage(ScalarStrip, { props: { view } })

  await strip.findAll('[role=radio]')[1]!.trigger('click')
  await byTestId(strip, 'log-all').trigger('change')
  await byTestId(strip, 'superseded-all').trigger('change')
  await byTestId(strip, 'combine-toggle').trigger('click')

  expect(strip.emitted('change')).toEqual([
    [{ axis: 'relative', zooms: new Map() }],
    [{ isLog: !view.isLog, logExceptions: [] }],
    [{ showSuperseded: !view.showSuperseded, superseded: [] }],
    [{ isCombining: true }],
  ])
  await strip.setProps({ canCombine: false })
  expect(byTestId(strip, 'combine-toggle').exists()).toBe(false)
})

/** `run` is another in each test: curves outlast the cards that asked for them. */
const preview = (run: string) =>
  mountInPage(ScalarsPreview, {
    props: { run, tags: ['loss', 'lr'].map((tag) => ({ tag, kind: 'scalars', lastStep: 2 })) },
  })
const series = (run: string, tag: string, values: readonly number[]) => ({
  run,
  tag,
  total_points: values.length,
  downsampled: false,
  segments: [0],
  steps: values.map((_, i) => i),
  wall_times: values.map((_, i) => 1_700_000_000 + i),
  values,
})

it('previews a chart for each tag with its last value', async () => {
  serve({ scalars: { series: [series('a', 'loss', [3, 2, 0.5]), series('a', 'lr', [0.1])] } })
  const wrapper = preview('a')
  await vi.waitFor(() => expect(wrapper.findAll('[data-testid=tile-chart]')).toHaveLength(2))

  expect(wrapper.find('[data-tag=loss] strong').text()).toBe('0.5')
  expect(wrapper.find('[data-tag=lr] strong').text()).toBe('0.1')
})

it('waits for curves, and retries after a failure', async () => {
  serve({ scalars: PENDING })
  const waiting = preview('b')
  expect(byTestId(waiting, 'tile-skeleton').exists()).toBe(true)
  waiting.unmount()

  serve({ scalars: FAILED })
  const failed = preview('c')
  await vi.waitFor(() => expect(byTestId(failed, 'state-failed').text()).toContain('the disk is on fire'))

  serve({ scalars: { series: [series('c', 'loss', [1, 2])] } })
  await byTestId(failed, 'retry').trigger('click')
  await vi.waitFor(() => expect(failed.find('[data-tag=loss] strong').text()).toBe('2'))
})

it('says that curves are missing', async () => {
  serve({ scalars: { series: [] } })
  const empty = preview('d')

  await vi.waitFor(() => expect(byTestId(empty, 'state-failed').exists()).toBe(true))
  expect(byTestId(empty, 'retry').exists()).toBe(false)
})
