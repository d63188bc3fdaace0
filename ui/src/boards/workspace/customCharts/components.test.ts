import { expect, it } from 'vitest'
import { byTestId, mountInPage, settle } from '@testing/mount'
import { FAILED, PENDING, serve } from '@testing/service'
import CustomChartsPreview from './CustomChartsPreview.vue'
import UnmatchedTags from './UnmatchedTags.vue'
import { w } from './words'

const preview = () => mountInPage(CustomChartsPreview, { props: { run: 'mlp', tags: [] } })
const layout = {
  categories: [
    {
      title: 'train',
      collapsed: false,
      charts: [
        {
          title: 'losses',
          tags: ['loss/.*'],
          margins: [{ value: 'mean', lower: 'low', upper: 'high' }],
        },
      ],
    },
  ],
}
const reply = (...items: readonly unknown[]) => ({ 'custom-scalars': { series: [{ run: 'mlp', items }] } })

it('previews the charts of the newest layout', async () => {
  serve(reply({ categories: [] }, layout))
  const wrapper = preview()
  await settle()
  const rows = wrapper.findAll('[data-testid=tile-fact]')

  expect(rows.map((row) => row.findAll('td').map((cell) => cell.text()))).toEqual([
    ['train / losses', 'loss/.*, mean'],
  ])
})

it('waits for layouts, and retries after a failure', async () => {
  serve({ 'custom-scalars': PENDING })
  const waiting = preview()
  await settle()
  expect(byTestId(waiting, 'tile-skeleton').exists()).toBe(true)

  serve({ 'custom-scalars': FAILED })
  const failed = preview()
  await settle()
  serve(reply(layout))
  await byTestId(failed, 'retry').trigger('click')
  await settle()
  expect(failed.findAll('[data-testid=tile-fact]')).toHaveLength(1)
})

it('says what is wrong with a layout that cannot be read', async () => {
  serve(reply({ categories: null, error: 'not a layout' }))
  const wrapper = preview()
  await settle()

  expect(byTestId(wrapper, 'state-failed').text()).toBe('not a layout')
})

it('lists tags that no run has, with what is wrong with their patterns', () => {
  const list = mountInPage(UnmatchedTags, {
    props: {
      tags: [
        { tag: 'loss', problem: 'missing' },
        { tag: 'a(', problem: 'invalid' },
        { tag: '(a+)+', problem: 'slow' },
      ],
    },
  })

  expect(list.findAll('li').map((item) => [item.find('code').text(), item.find('span').text()])).toEqual([
    ['loss', ''],
    ['a(', w.value.invalid],
    ['(a+)+', w.value.slow],
  ])
})
