import { expect, it } from 'vitest'
import { byTestId, mountInPage } from '@testing/mount'
import LinkSteps from './LinkSteps.vue'
import StepBar from './StepBar.vue'

const bar = (props: Readonly<Record<string, unknown>> = {}) =>
  mountInPage(StepBar, { props: { steps: [0, 10, 500], position: 1, isPlaying: false, ...props } })

it('goes to the step before, the step after and any between', async () => {
  const steps = bar()
  await byTestId(steps, 'step-previous').trigger('click')
  await byTestId(steps, 'step-next').trigger('click')
  await byTestId(steps, 'step-slider').setValue('2')

  expect(steps.emitted('go')).toEqual([[0], [2], [2]])
  expect(byTestId(steps, 'step-slider').attributes('max')).toBe('2')
})

it('stops at both ends of the steps', async () => {
  const steps = bar({ position: 0 })
  expect(byTestId(steps, 'step-previous').attributes('disabled')).toBe('')
  expect(byTestId(steps, 'step-next').attributes('disabled')).toBeUndefined()

  await steps.setProps({ position: 2 })
  expect(byTestId(steps, 'step-previous').attributes('disabled')).toBeUndefined()
  expect(byTestId(steps, 'step-next').attributes('disabled')).toBe('')
})

it('seeks a typed step, and puts the shown one back for anything else', async () => {
  const steps = bar()
  const field = byTestId(steps, 'step-value')
  await field.setValue('480')
  await field.setValue('')
  await field.setValue('1.5')

  expect(steps.emitted('seek')).toEqual([[480]])
  expect((field.element as HTMLInputElement).value).toBe('10')
})

it('plays only what has several steps, and only where it can', async () => {
  const steps = bar()
  await byTestId(steps, 'step-play').trigger('click')
  expect(steps.emitted('play')).toHaveLength(1)

  await steps.setProps({ steps: [7], position: 0 })
  expect(byTestId(steps, 'step-play').attributes('disabled')).toBe('')
  await steps.setProps({ canPlay: false })
  expect(byTestId(steps, 'step-play').exists()).toBe(false)
})

it('links the steps of all cards and forgets where single ones stood', async () => {
  const link = mountInPage(LinkSteps, { props: { view: { isLinked: false, steps: new Map([['a', 3]]) } } })
  const box = byTestId(link, 'link-steps')
  expect((box.element as HTMLInputElement).checked).toBe(false)

  await box.trigger('change')
  expect(link.emitted('change')).toEqual([[{ isLinked: true, steps: new Map() }]])
})
