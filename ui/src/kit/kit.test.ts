import { expect, it, vi } from 'vitest'
import { h } from 'vue'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { t } from '@/i18n'
import AppIcon from './AppIcon.vue'
import ChoiceBar from './ChoiceBar.vue'
import CopyText from './CopyText.vue'
import IconButton from './IconButton.vue'
import { ICONS } from './icons'
import LineSample from './LineSample.vue'
import MiddleText from './MiddleText.vue'
import PopUp from './PopUp.vue'
import ReadingNote from './ReadingNote.vue'
import StateNote from './StateNote.vue'
import VirtualList from './VirtualList.vue'

it('draws an icon that screen readers pass over', () => {
  const icon = mountInPage(AppIcon, { props: { name: 'search', size: 12 } })

  expect(icon.attributes()).toMatchObject({ width: '12', 'aria-hidden': 'true' })
  expect(icon.find('path').attributes('d')).toBe(ICONS.search)
})

it('names an icon button, and says whether a switch is on', async () => {
  const button = mountInPage(IconButton, { props: { icon: 'link', label: 'Copy link' } })
  expect(button.attributes('aria-label')).toBe('Copy link')
  expect(button.attributes('aria-pressed')).toBeUndefined()

  await button.setProps({ pressed: true, disabled: true })
  expect(button.attributes()).toMatchObject({ 'aria-pressed': 'true', disabled: '' })
})

it('selects one of several options, by pointer and by arrow keys', async () => {
  const options = ['step', 'relative', 'wall'].map((value) => ({ value, label: value }))
  const bar = mountInPage(ChoiceBar, { props: { options, chosen: 'step', label: 'X axis', name: 'axis' } })
  const [first, second, third] = bar.findAll('[role=radio]')

  await second!.trigger('click')
  await first!.trigger('click') // selected already
  await first!.trigger('keydown', { key: 'ArrowLeft' })

  expect(bar.emitted('choose') ?? bar.emitted('select')).toEqual([['relative'], ['wall']])
  expect(document.activeElement).toBe(third!.element)
  expect([first, second].map((radio) => radio!.attributes('tabindex'))).toEqual(['0', '-1'])
})

it('keeps both ends of a long text, and the whole of it on hover', () => {
  const long = mountInPage(MiddleText, { props: { text: 'optimizer/momentum/lr-0.001/seed-17', tail: 7 } })
  expect(long.attributes('title')).toBe('optimizer/momentum/lr-0.001/seed-17')
  expect(long.find('.tail').text()).toBe('seed-17')

  const short = mountInPage(MiddleText, { props: { text: 'loss', tail: 7 } })
  expect(short.find('.tail').exists()).toBe(false)
})

it('shows a line as the chart draws it', () => {
  const line = mountInPage(LineSample, { props: { colour: '#123456', dash: [4, 2], isFaint: true } })

  expect(line.find('line').attributes()).toMatchObject({ stroke: '#123456', 'stroke-dasharray': '4 2' })
  expect(line.classes()).toContain('faint')
})

it('copies a text and says so', async () => {
  const writeText = vi.fn().mockResolvedValue(undefined)
  vi.stubGlobal('navigator', { clipboard: { writeText } })
  const copy = mountInPage(CopyText, { props: { text: '0.125', label: 'Copy value' } })
  expect(copy.attributes('aria-label')).toBe('Copy value')

  await copy.trigger('click')
  await settle()

  expect(writeText).toHaveBeenCalledWith('0.125')
  expect(copy.attributes('aria-label')).toBe(t.value.copied)
})

it('opens a panel, focuses it, and closes it by Escape and by a click elsewhere', async () => {
  const popup = mountInPage(PopUp, {
    slots: {
      button: ((props: { toggle: () => void }) =>
        h('button', { class: 'opener', onClick: props.toggle }, 'more')) as () => unknown,
      default: () => h('input', { class: 'first' }),
    },
  })
  await popup.find('.opener').trigger('click')
  await settle()
  expect(document.activeElement?.className).toBe('first')

  await popup.find('.first').trigger('keydown', { key: 'Escape' })
  expect(popup.find('.panel').exists()).toBe(false)

  await popup.find('.opener').trigger('click')
  document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }))
  await settle()
  expect(popup.find('.panel').exists()).toBe(false)
})

it('shows what lies under the pointer, and nothing when there is nothing', async () => {
  const note = mountInPage(ReadingNote, { props: { text: 'step 7: 0.5' } })
  expect(note.text()).toBe('step 7: 0.5')

  await note.setProps({ text: '' })
  expect(note.find('p').exists()).toBe(false)
})

it('tells an empty place from a failed one, with the code that fills it and a retry', async () => {
  const empty = mountInPage(StateNote, {
    props: { title: 'No images', why: 'None were logged.', code: 'writer.add_image(...)' },
  })
  expect(empty.attributes('role')).toBeUndefined()
  expect(empty.find('code').text()).toBe('writer.add_image(...)')
  expect(byTestId(empty, 'retry').exists()).toBe(false)

  const failed = mountInPage(StateNote, { props: { title: 'Loading failed', failed: true, canRetry: true } })
  expect(failed.attributes('role')).toBe('alert')
  await byTestId(failed, 'retry').trigger('click')
  expect(failed.emitted('retry')).toHaveLength(1)
})

it('mounts only the rows in view of a long list', async () => {
  layOut(300, 200)
  const list = mountInPage(VirtualList, {
    props: { count: 1_000_000, rowHeight: 20, overscan: 2 },
    slots: {
      default: ((props: { index: number }) =>
        h('i', { class: 'item' }, String(props.index))) as () => unknown,
    },
  })
  await settle()

  const rows = list.findAll('.item').map((row) => Number(row.text()))
  expect(rows.length).toBeGreaterThanOrEqual(10)
  expect(rows.length).toBeLessThan(20)
  expect(rows[0]).toBe(0)
})
