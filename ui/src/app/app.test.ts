import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { runWindow, sampleRun } from '@testing/runs'
import { FAILED, PENDING, serve } from '@testing/service'
import { live, startLive } from '@/base/api/live'
import type { Service } from '@/base/api/service'
import { useCommands } from '@/base/commands'
import { t } from '@/i18n'
import AppRail from './AppRail.vue'
import CommandPalette from './CommandPalette.vue'
import LiveIndicator from './LiveIndicator.vue'
import NotFoundPage from './NotFoundPage.vue'
import RailEntry from './RailEntry.vue'
import ReportButton from './ReportButton.vue'
import ServicePage from './ServicePage.vue'
import ShortcutList from './ShortcutList.vue'

const service = (facts: Partial<Service> = {}): Service => ({
  name: 'board',
  version: '1.2.3',
  summary_base_dir: '/data/runs',
  projects: [],
  started_at: 1_700_000_000,
  store: 'sqlite',
  has_checksums: true,
  native: true,
  reload_interval: 5,
  loading: { state: 'idle', runs_done: 3, runs_total: 3, bytes_done: 2048, bytes_total: 2048 },
  access: 'full',
  signed_in: false,
  kinds: ['scalars', 'profiles'],
  ...facts,
})

beforeEach(() => layOut())
afterEach(() => {
  live.service.value = null
  vi.useRealTimers()
})

it('says where a wrong address leads on', () => {
  const page = mountInPage(NotFoundPage)

  expect(page.text()).toContain(t.value.notFoundTitle)
  expect(page.find('a').attributes('href')).toBe('/runs')
})

it('names an entry of the rail, also when only its icon is shown', async () => {
  const entry = mountInPage(RailEntry, {
    props: { to: '/scalars', icon: 'scalars', label: 'scalars', isWide: false, of: 'mlp' },
  })
  expect(entry.attributes()).toMatchObject({
    href: '/scalars',
    title: t.value.scalars,
    'aria-label': `mlp ${t.value.scalars}`,
  })
  expect(entry.text()).toBe('')

  await entry.setProps({ isWide: true })
  expect(entry.find('.name').text()).toBe(t.value.scalars)
  expect(entry.text()).toBe(`mlp ${t.value.scalars}`) // whose board it is, for screen readers
})

it('offers the boards that some run has data for, and those of the open run', async () => {
  live.service.value = service({ kinds: ['scalars', 'images'] })
  const rail = mountInPage(AppRail, { props: { runId: null, run: null, isWide: true } })
  await settle()
  expect(byTestId(rail, 'nav-images').exists()).toBe(true)
  expect(byTestId(rail, 'nav-audio').exists()).toBe(false)

  await rail.setProps({ runId: 'a/b', run: sampleRun('a/b', { counts: { scalars: 1, images: 0 } }) })
  expect(byTestId(rail, 'nav-run-scalars').attributes('href')).toBe('/runs/a%2Fb/scalars')
  expect(byTestId(rail, 'nav-run-images').exists()).toBe(false)
  expect(byTestId(rail, 'nav-images').exists()).toBe(false) // of several runs: folded
  await byTestId(rail, 'nav-several').trigger('click')
  expect(byTestId(rail, 'nav-images').exists()).toBe(true)
})

it('folds the rail', async () => {
  const rail = mountInPage(AppRail, { props: { runId: null, run: null, isWide: true } })
  expect(byTestId(rail, 'rail-toggle').attributes('aria-expanded')).toBe('true')

  await byTestId(rail, 'rail-toggle').trigger('click')
  expect(rail.emitted('update:isWide')).toEqual([[false]])
})

it('describes the service once it is known', async () => {
  const page = mountInPage(ServicePage)
  expect(page.find('.skeleton').exists()).toBe(true)

  live.service.value = service()
  await settle()
  expect(page.text()).toContain('1.2.3')
  expect(page.text()).toContain('/data/runs')
  expect(byTestId(page, 'service-state').text()).toContain(t.value.idle)
  expect(byTestId(page, 'no-checksums').exists()).toBe(false)
})

it('says that rows of the index are not verified, and how far loading is', async () => {
  live.service.value = service({
    store: 'postgresql',
    has_checksums: false,
    loading: { state: 'loading', runs_done: 2, runs_total: 7, bytes_done: 1024, bytes_total: 4096 },
  })
  const page = mountInPage(ServicePage)
  await settle()

  expect(byTestId(page, 'no-checksums').text()).toBe(t.value.noChecksumsPostgresql)
  expect(byTestId(page, 'service-state').text()).toContain(t.value.loadingRuns('2', '7'))
})

it('follows the connection: connecting, live, paused, lost', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  serve({ service: service(), changes: { cursor: 1, runs: [], removed: [], annotations: 0 } })
  const lamp = mountInPage(LiveIndicator)
  const page = mountInPage(ServicePage)
  const state = (): string | undefined => lamp.attributes('data-state')
  expect(state()).toBe('connecting')

  startLive()
  await settle()
  expect(state()).toBe('live')

  await byTestId(lamp, 'live-pause').trigger('click')
  expect(state()).toBe('paused')
  expect(byTestId(lamp, 'live-pause').attributes('aria-pressed')).toBe('true')

  serve({ service: FAILED, changes: FAILED })
  await byTestId(lamp, 'live-pause').trigger('click')
  await settle()
  expect(state()).toBe('lost')
  expect(lamp.text()).toContain(t.value.disconnected)

  live.service.value = null
  await settle()
  expect(byTestId(page, 'state-failed').text()).toContain(t.value.unreachable)
})

it('lists every shortcut once, and closes by Escape and a click beside it', async () => {
  live.service.value = service()
  await settle()
  const list = mountInPage(ShortcutList)
  const keys = list.findAll('dt').map((term) =>
    term
      .findAll('kbd')
      .map((key) => key.text())
      .join(' '),
  )
  expect(keys).toContain('g s')
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])

  await byTestId(list, 'shortcuts').trigger('keydown', { key: 'Escape' })
  await list.trigger('pointerdown')
  expect(list.emitted('close')).toHaveLength(2)
})

const palette = (run: () => void = () => undefined) =>
  mountInPage({
    components: { CommandPalette },
    emits: ['close', 'open'],
    setup: () =>
      useCommands(() => [
        { id: 'dark', kind: 'command', label: 'Dark theme', keys: 't', run },
        { id: 'tag', kind: 'tag', label: 'loss/dark', run },
        { id: 'filter', kind: 'hidden', label: '', keys: '/', run },
      ]),
    template: `<CommandPalette @close="$emit('close')" @open="(run) => $emit('open', run)" />`,
  })
const items = (wrapper: ReturnType<typeof palette>): string[] =>
  wrapper.findAll('[data-testid=palette-item]').map((item) => item.text())

it('finds runs, tags and commands by what is typed', async () => {
  const requests = serve({ runs: runWindow(sampleRun('dark-1')), views: { views: [] } }).requests
  const wrapper = palette()
  await settle()
  expect(items(wrapper)).toEqual([expect.stringContaining('dark-1'), expect.stringContaining('Dark theme')])
  expect(document.activeElement).toBe(byTestId(wrapper, 'palette-input').element)

  await byTestId(wrapper, 'palette-input').setValue('dark')
  await settle()
  expect(items(wrapper)).toEqual([
    expect.stringContaining('dark-1'),
    expect.stringContaining('loss/dark'),
    expect.stringContaining('Dark theme'),
  ])
  expect(requests.some((request) => request.includes('search=dark'))).toBe(true)
})

it('runs the command reached by arrow keys, and closes', async () => {
  serve({ runs: runWindow(sampleRun('mlp')), views: { views: [] } })
  const run = vi.fn()
  const wrapper = palette(run)
  await settle()
  const input = byTestId(wrapper, 'palette-input')

  await input.trigger('keydown', { key: 'ArrowUp' }) // from the first to the last
  await input.trigger('keydown', { key: 'Enter' })
  expect(run).toHaveBeenCalledOnce()
  expect(wrapper.emitted('close')).toHaveLength(1)

  await wrapper.findAll('[data-testid=palette-item]')[0]!.trigger('click')
  expect(wrapper.emitted('open')).toEqual([[sampleRun('mlp')]])
})

it('finds commands while runs are loading or have failed', async () => {
  for (const reply of [PENDING, FAILED]) {
    serve({ runs: reply, views: { views: [] } })
    const wrapper = palette()
    await settle()
    expect(items(wrapper)).toEqual([expect.stringContaining('Dark theme')])
    wrapper.unmount()
  }
})

it('says that nothing is found', async () => {
  serve({ runs: runWindow(), views: { views: [] } })
  const wrapper = palette()
  await byTestId(wrapper, 'palette-input').setValue('zzz')
  await settle()

  expect(items(wrapper)).toEqual([])
  expect(wrapper.text()).toContain(t.value.nothingFound)
})

it('says why there is no report, and keeps what was typed', async () => {
  const collect = vi.fn().mockResolvedValue([{}])
  const report = mountInPage(ReportButton, { props: { collecting: { collect } } })
  await byTestId(report, 'report').trigger('click')
  await byTestId(report, 'report-title').setValue('Week 7')
  await report.find('form').trigger('submit')
  await vi.waitFor(() => expect(byTestId(report, 'report-failure').exists()).toBe(true))

  expect(collect).toHaveBeenCalledOnce()
  expect((byTestId(report, 'report-title').element as HTMLInputElement).value).toBe('Week 7')
  expect(byTestId(report, 'report-save').attributes('disabled')).toBeUndefined()
})
