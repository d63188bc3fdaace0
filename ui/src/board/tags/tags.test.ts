import { beforeEach, expect, it, vi } from 'vitest'
import { ref, shallowRef } from 'vue'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { runWindow } from '@testing/runs'
import { serve } from '@testing/service'
import { ApiError } from '@/base/api/client'
import { t } from '@/i18n'
import CardLegend from './CardLegend.vue'
import TagCard from './TagCard.vue'
import TagPicker from './TagPicker.vue'

beforeEach(() => layOut(300, 400))

const TAGS = ['loss/train', 'loss/test', 'lr']
const picker = (props: Readonly<Record<string, unknown>> = {}) =>
  mountInPage(TagPicker, { props: { tags: TAGS, ticked: null, filter: '', ...props } })
const listed = (wrapper: ReturnType<typeof picker>): (string | undefined)[] =>
  wrapper.findAll('[data-testid=picker-tag]').map((row) => row.attributes('data-tag'))

it('selects every tag until some are deselected, and all of them as "all" again', async () => {
  const tags = picker()
  await settle()
  expect(byTestId(tags, 'tag-count').text()).toBe('3 / 3')

  await tags.find('[data-tag=lr] input').trigger('change')
  await tags.setProps({ ticked: ['loss/train', 'loss/test'] })
  expect(byTestId(tags, 'tag-count').text()).toBe('2 / 3')
  await tags.find('[data-tag=lr] input').trigger('change')

  expect(tags.emitted('tick')).toEqual([[['loss/train', 'loss/test']], [null]])
})

it('selects a tag alone by double click, those shown, and none', async () => {
  const tags = picker({ ticked: ['lr'], filter: 'loss' })
  await settle()
  expect(listed(tags)).toEqual(['loss/train', 'loss/test'])

  await tags.find('[data-tag="loss/test"]').trigger('dblclick')
  await byTestId(tags, 'tags-select-shown').trigger('click')
  await byTestId(tags, 'tags-select-none').trigger('click')

  expect(tags.emitted('tick')).toEqual([[['loss/test']], [null], [[]]])
})

it('tells a filter that matches nothing from one that is not a pattern', async () => {
  const tags = picker({ filter: 'accuracy' })
  await settle()
  expect(tags.find('.none').exists()).toBe(true)
  expect(byTestId(tags, 'tag-filter').attributes('aria-invalid')).toBe('false')

  await tags.setProps({ filter: 'loss(' })
  expect(byTestId(tags, 'tag-filter').attributes('aria-invalid')).toBe('true')
})

it('gives tags to an axis while several are combined', async () => {
  const tags = picker({ isCombining: true, left: ['lr'] })
  await settle()
  const row = tags.find('[data-tag=lr]')
  expect(row.find('[data-testid=combine-left]').attributes('aria-pressed')).toBe('true')
  expect(row.find('[data-testid=combine-right]').attributes('aria-pressed')).toBe('false')

  await row.find('[data-testid=combine-right]').trigger('click')
  expect(tags.emitted('side')).toEqual([['lr', 'right']])
})

it('explains the lines of a chart, and counts those that do not fit a small card', async () => {
  const entries = Array.from({ length: 5 }, (_, i) => ({
    key: `k${i}`,
    name: `run-${i}`,
    colour: '#123456',
    dash: [],
    ...(i === 0 ? { note: 'resumed' } : {}),
  }))
  const legend = mountInPage(CardLegend, { props: { entries, isFull: false, most: 2 } })
  const lines = (): string[] => legend.findAll('li').map((item) => item.text())
  expect(lines()).toHaveLength(3)
  expect(lines()[0]).toContain('resumed')
  expect(lines()[2]).toBe(t.value.andMore(3))

  await legend.setProps({ isFull: true })
  expect(lines()).toHaveLength(5)
  await legend.setProps({ entries: [] })
  expect(legend.find('ul').exists()).toBe(false)
})

const loadingState = (isLoaded: boolean, error: unknown = null, rebuilding: readonly string[] = []) => ({
  isLoaded: ref(isLoaded),
  error: shallowRef(error),
  rebuilding: shallowRef(rebuilding),
  retry: vi.fn(),
})
const card = (props: Readonly<Record<string, unknown>> = {}) =>
  mountInPage(TagCard, {
    props: { title: 'loss', isFull: false, emptyTitle: 'no points', ...props },
    slots: { default: '<p class="chart">chart</p>' },
  })

it('holds the place of a card until its data is here', async () => {
  const wrapper = card({ loading: loadingState(false), isEmpty: true })
  await settle()

  expect(byTestId(wrapper, 'card-skeleton').exists()).toBe(true)
  expect(wrapper.find('article').attributes('data-loaded')).toBe('false')
})

it('keeps the focus in full screen, and gives it back', async () => {
  const wrapper = card({ isFull: false })
  await settle()
  const button = () => document.querySelector<HTMLElement>('[data-testid=card-fullscreen]')!
  button().focus()

  for (const isFull of [true, false]) {
    ;(document.activeElement as HTMLElement).blur() // as a browser does when the card is moved
    await wrapper.setProps({ isFull })
    await settle()
    expect(document.activeElement).toBe(button())
  }
})

it('fills a card only when it is near', async () => {
  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe(): void {}
      unobserve(): void {}
    },
  )
  const far = mountInPage({
    components: { TagCard },
    template: '<div data-scroller><TagCard title="loss" :is-full="false"><p class="chart" /></TagCard></div>',
  })
  await settle()

  expect(far.find('.chart').exists()).toBe(false)
})

it('says why a card failed and retries, in place of the chart or beside it', async () => {
  const loading = loadingState(false, new ApiError('disk full', 500, 'internal'))
  const wrapper = card({ loading, isEmpty: true })
  await settle()
  expect(byTestId(wrapper, 'state-failed').text()).toContain('disk full')
  await byTestId(wrapper, 'retry').trigger('click')

  await wrapper.setProps({ isEmpty: false })
  expect(wrapper.find('.chart').exists()).toBe(true)
  await wrapper.find('button.danger').trigger('click')
  expect(loading.retry).toHaveBeenCalledTimes(2)
})

it('tells a card with nothing to draw from one whose runs are being rebuilt', async () => {
  serve({ runs: runWindow() })
  const wrapper = card({ loading: loadingState(true), isEmpty: true })
  await settle()
  expect(byTestId(wrapper, 'state-empty').text()).toBe('no points')

  await wrapper.setProps({ loading: loadingState(true, null, ['mlp']) })
  expect(byTestId(wrapper, 'state-failed').text()).toContain(t.value.rebuilding)
  expect(byTestId(wrapper, 'being-rebuilt').text()).toContain('mlp')
})

it('offers full screen, pinning and superseded points', async () => {
  const wrapper = card({ superseded: 12, isPinned: true })
  await settle()
  expect(byTestId(wrapper, 'card-pin').attributes('aria-pressed')).toBe('true')
  expect(byTestId(wrapper, 'card-superseded').text()).toBe(t.value.superseded('12'))

  await byTestId(wrapper, 'card-fullscreen').trigger('click')
  await byTestId(wrapper, 'card-pin').trigger('click')
  await byTestId(wrapper, 'card-superseded').trigger('click')
  expect(Object.keys(wrapper.emitted())).toEqual(expect.arrayContaining(['full', 'pin', 'superseded']))

  await wrapper.setProps({ canPin: false, superseded: 0 })
  expect(byTestId(wrapper, 'card-pin').exists()).toBe(false)
  expect(byTestId(wrapper, 'card-superseded').exists()).toBe(false)
})
