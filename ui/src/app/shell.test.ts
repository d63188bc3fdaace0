import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { sampleRun, runWindow } from '@testing/runs'
import { serve } from '@testing/service'
import { live } from '@/base/api/live'
import type { Service } from '@/base/api/service'
import { BOARDS, OVERVIEWS } from '@/board/registry'
import { t } from '@/i18n'
import CopyLink from '@/kit/CopyLink.vue'
import { closeToast } from '@/kit/toast'
import ToastNote from '@/kit/ToastNote.vue'
import AppRail from './AppRail.vue'
import CommandPalette from './CommandPalette.vue'
import { goCommands } from './goCommands'
import PhoneBar from './PhoneBar.vue'
import { router } from './router'

const ALL_KINDS = [...new Set(BOARDS.flatMap(({ kinds }) => kinds))]
const service = {
  summary_base_dir: '/data/runs',
  started_at: 1,
  loading: { state: 'idle', runs_done: 12, runs_total: 12, bytes_done: 0, bytes_total: 0 },
  kinds: ALL_KINDS,
} as unknown as Service

beforeEach(() => {
  layOut()
  localStorage.clear()
  live.service.value = service
})
afterEach(() => {
  live.service.value = null
  closeToast()
})

it('gives every page a shortcut of its own', () => {
  const keys = ['g r', 'g v', ...[...OVERVIEWS, ...BOARDS].flatMap(({ keys: own }) => (own ? [own] : []))]

  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
})

it('opens the boards of the open run by their keys', () => {
  const push = vi.spyOn(router, 'push').mockResolvedValue(undefined)
  const press = (keys: string, run: ReturnType<typeof sampleRun> | null): void =>
    goCommands(router, run)
      .find((command) => command.keys === keys)
      ?.run()

  press('g s', null)
  press('g s', sampleRun('a/b'))
  press('g i', sampleRun('a/b')) // which has no images
  press('g b', sampleRun('a/b'))

  expect(push.mock.calls).toEqual([['/scalars'], ['/runs/a%2Fb/scalars'], ['/images'], ['/runs/a%2Fb']])
})

it('groups the rail, and keeps rare kinds under "More"', async () => {
  const rail = mountInPage(AppRail, { props: { runId: null, run: null, isWide: true } })
  await settle()

  expect(rail.findAll('h2').map((heading) => heading.text())).toEqual([
    t.value.groupResults,
    t.value.groupMedia,
    t.value.groupModel,
    t.value.groupPerformance,
  ])
  expect(byTestId(rail, 'nav-runs').text()).toContain('12')
  for (const name of ['modelLineage', 'dataLineage', 'compare', 'lineageGraph', 'whyPage'])
    expect(byTestId(rail, `nav-${name}`).exists()).toBe(true)
  expect(byTestId(rail, 'nav-meshes').exists()).toBe(false)
  await byTestId(rail, 'nav-more-model').trigger('click')
  expect(byTestId(rail, 'nav-meshes').exists()).toBe(true)
})

it('has the groups of the rail at the foot of a phone', async () => {
  const bar = mountInPage(PhoneBar, { props: { runId: null, run: null } })
  expect(byTestId(bar, 'phone-sheet').exists()).toBe(false)

  await byTestId(bar, 'phone-tab-media').trigger('click')
  expect(byTestId(bar, 'phone-nav-images').attributes('href')).toBe('/images')
  await byTestId(bar, 'phone-nav-images').trigger('click')
  expect(byTestId(bar, 'phone-sheet').exists()).toBe(false)
})

it('finds tags where no board is open', async () => {
  serve({
    runs: runWindow(sampleRun('a'), sampleRun('b')),
    'runs/a/tags': { scalars: [{ tag: 'train/loss', count: 1, first_step: 0, last_step: 1 }] },
    'runs/b/tags': { scalars: [{ tag: 'train/loss', count: 1, first_step: 0, last_step: 1 }] },
    views: { views: [] },
  })
  const palette = mountInPage(CommandPalette)
  await byTestId(palette, 'palette-input').setValue('train/loss')

  await vi.waitFor(() =>
    expect(palette.findAll('[data-testid=palette-item]').map((item) => item.text())).toContain(
      `${t.value.tag}train/loss`,
    ),
  )
})

it('shares the address where there is no clipboard', async () => {
  vi.stubGlobal('navigator', { ...navigator, clipboard: undefined })
  const copy = vi.fn().mockReturnValueOnce(true).mockReturnValueOnce(false)
  document.execCommand = copy
  const share = mountInPage(CopyLink, { props: { isNamed: true } })
  const note = mountInPage(ToastNote)

  await byTestId(share, 'share').trigger('click')
  await settle()
  expect(byTestId(note, 'toast').text()).toBe(t.value.linkCopied)

  await byTestId(share, 'share').trigger('click')
  await settle()
  const field = byTestId(note, 'toast-copy').element as HTMLInputElement
  expect(field.value).toBe(location.href)
  expect(document.activeElement).toBe(field)
  vi.unstubAllGlobals()
})
