import { afterEach, beforeEach, expect, it } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { FAILED, PENDING, serve } from '@testing/service'
import type { SavedView } from './api'
import SavedViewList from './SavedViewList.vue'
import SavedViewPage from './SavedViewPage.vue'
import SavedViews from './SavedViews.vue'
import { savedViews, sharedAddress } from './savedViews'

const view = (id: string, facts: Partial<SavedView> = {}): SavedView => ({
  id,
  name: `view ${id}`,
  address: `/scalars?tag=${id}`,
  created_at: 1_700_000_000,
  updated_at: 1_700_000_000,
  version: 3,
  ...facts,
})

beforeEach(() => layOut())
afterEach(() => {
  savedViews.views.value = null
  savedViews.unsaved.name.value = ''
  savedViews.unsaved.renaming.value = null
})

const rows = (wrapper: ReturnType<typeof mountInPage>): (string | undefined)[] =>
  wrapper.findAll('[data-testid=view-row]').map((row) => row.attributes('data-id'))

it('does not call views that are loading missing', async () => {
  serve({ views: PENDING })
  const list = mountInPage(SavedViewList)
  await settle()
  expect(list.find('.none').exists()).toBe(false)

  serve({ views: { views: [] } })
  const empty = mountInPage(SavedViewList)
  await settle()
  expect(empty.find('.none').exists()).toBe(true)
})

it('says why views failed to load, and retries', async () => {
  serve({ views: FAILED })
  const list = mountInPage(SavedViewList)
  await settle()
  expect(list.find('[role=alert]').text()).toContain('the disk is on fire')

  serve({ views: { views: [view('a')] } })
  await list.find('[role=alert] button').trigger('click')
  await settle()
  expect(list.find('[role=alert]').exists()).toBe(false)
  expect(rows(list)).toEqual(['a'])
})

it('opens a view by a link that stays the same when the view changes', async () => {
  serve({ views: { views: [view('a b')] } })
  const list = mountInPage(SavedViewList)
  await settle()
  const link = byTestId(list, 'view-open')
  expect(link.attributes('href')).toBe('/views/a%20b')

  await link.trigger('click')
  expect(list.emitted('close')).toHaveLength(1)
})

it('saves under a new name, and replaces the view of that name', async () => {
  const sent: string[] = []
  const service = serve({ views: { views: [view('a', { name: 'weekly' })] }, 'views/a': view('a') })
  const fetched = globalThis.fetch
  globalThis.fetch = (input, options) => {
    sent.push(`${options?.method ?? 'GET'} ${String(input)}`)
    return fetched(input, options)
  }
  const list = mountInPage(SavedViewList)
  await settle()
  expect(byTestId(list, 'view-save').attributes('disabled')).toBe('')

  await byTestId(list, 'view-name').setValue('weekly')
  await list.find('form').trigger('submit')
  await settle()
  expect(sent).toContain('PUT /v1/views/a')
  expect(service.requests.at(-1)).toBe('/v1/views') // the list as it is now
})

it('keeps a name that could not be saved', async () => {
  serve({ views: { views: [] } })
  const list = mountInPage(SavedViewList)
  await settle()
  serve({ views: FAILED })
  await byTestId(list, 'view-name').setValue('weekly')
  await list.find('form').trigger('submit')
  await settle()

  expect(byTestId(list, 'view-failure').text()).toContain('the disk is on fire')
  expect((byTestId(list, 'view-name').element as HTMLInputElement).value).toBe('weekly')
})

it('asks before it deletes, and tells of a view that somebody else has changed', async () => {
  const conflict = { field: 'view', yours: null, current: { name: 'theirs' }, version: 4 }
  const refusal = () =>
    Response.json(
      { error: { code: 'conflict', message: 'changed', details: { conflicts: [conflict] } } },
      { status: 409 },
    )
  const service = serve({ views: { views: [view('a')] }, 'views/a': refusal })
  const list = mountInPage(SavedViewList)
  await settle()
  await byTestId(list, 'view-delete').trigger('click')
  expect(service.requests).toEqual(['/v1/views'])

  await byTestId(list, 'view-really-delete').trigger('click')
  await settle()
  expect(service.requests).toContain('/v1/views/a?version=3')
  expect(byTestId(list, 'view-conflict').text()).toContain('theirs')

  await byTestId(list, 'view-overwrite').trigger('click')
  await settle()
  expect(service.requests).toContain('/v1/views/a?version=4')
})

it('shows the list of views only once it is opened', async () => {
  const service = serve({ views: { views: [view('a')] } })
  const button = mountInPage(SavedViews)
  await settle()
  expect(service.requests).toEqual([])
  expect(byTestId(button, 'saved-views').attributes('aria-expanded')).toBe('false')

  await byTestId(button, 'saved-views').trigger('click')
  await expect.poll(() => rows(button)).toEqual(['a'])
})

it('leads from the link of a view to its address', async () => {
  serve({ views: { views: [view('a')] } })
  const page = mountInPage(SavedViewPage, { props: { view: 'a' } })
  await settle()

  expect(page.vm.$router.currentRoute.value.fullPath).toBe('/scalars?tag=a')
  expect(savedViews.latest.value).toBe('a')
})

it('tells a view that is gone from one that failed to load', async () => {
  serve({ views: FAILED })
  const page = mountInPage(SavedViewPage, { props: { view: 'b' } })
  await settle()
  expect(byTestId(page, 'state-failed').text()).toContain('the disk is on fire')

  serve({ views: { views: [view('a')] } })
  await byTestId(page, 'retry').trigger('click')
  await settle()
  expect(byTestId(page, 'state-failed').exists()).toBe(false)
  expect(byTestId(page, 'state-empty').find('a').attributes('href')).toBe('/runs')
})

it('keeps the language and the token of the reader out of saved addresses', () => {
  expect(sharedAddress('/scalars?lang=zh&tag=a&token=x#z')).toBe('/scalars?tag=a#z')
})
