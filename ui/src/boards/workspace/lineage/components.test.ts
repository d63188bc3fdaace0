import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { runWindow, sampleRun } from '@testing/runs'
import { FAILED, PENDING, serve } from '@testing/service'
import { ApiError } from '@/base/api/client'
import { drafts } from './drafts'
import EditableCell from './EditableCell.vue'
import ImportancePanel from './ImportancePanel.vue'
import QueryBox from './QueryBox.vue'
import ScalarColumn from '@/boards/workspace/runs/columns/ScalarColumn.vue'

beforeEach(() => layOut())
afterEach(() => drafts.clear())

const importance = (name: string, share: number | null, direction = 0) => ({
  name,
  importance: share,
  direction,
  runs: 12,
  method: 'forest',
  reason: share === null ? 'constant' : '',
})
const importances = {
  target: 'accuracy',
  runs: 12,
  min_runs: 10,
  method: 'forest',
  parameters: [importance('lr', 0.75, -1), importance('seed', null)],
}
const panel = (target: string) =>
  mountInPage(ImportancePanel, {
    props: { target, targets: [{ key: 'accuracy', label: 'Accuracy' }], query: 'lr > 0', state: 0 },
  })

it('ranks parameters by what they say about a result', async () => {
  const { requests } = serve({ 'lineage/importance': importances })
  const wrapper = panel('accuracy')
  await settle()

  expect(wrapper.find('[data-name=lr] .bar span').attributes('style')).toContain('75%')
  expect(wrapper.find('[data-name=lr] .way').text()).toBe('↘')
  expect(wrapper.find('[data-name=seed] .bar').exists()).toBe(false)
  expect(requests).toEqual(['/v1/lineage/importance?target=accuracy&query=lr+%3E+0'])
})

it('asks for a result first, and requests nothing until then', async () => {
  const { requests } = serve({})
  const wrapper = panel('')
  await settle()
  expect(byTestId(wrapper, 'state-empty').exists()).toBe(true)
  expect(requests).toEqual([])

  await byTestId(wrapper, 'importance-target').setValue('accuracy')
  await byTestId(wrapper, 'importance-close').trigger('click')
  expect(wrapper.emitted('target')).toEqual([['accuracy']])
  expect(wrapper.emitted('close')).toHaveLength(1)
})

it('says why importances failed, and retries', async () => {
  serve({ 'lineage/importance': FAILED })
  const wrapper = panel('accuracy')
  await settle()
  expect(byTestId(wrapper, 'state-failed').text()).toContain('the disk is on fire')

  serve({ 'lineage/importance': importances })
  await byTestId(wrapper, 'retry').trigger('click')
  await settle()
  expect(wrapper.findAll('[data-testid=importance-row]')).toHaveLength(2)
})

const cell = (column: string, text: string) =>
  mountInPage(EditableCell, { props: { run: 'mlp', column, label: column, text, version: 3 } })
const bodies = (): unknown[] => {
  const sent: unknown[] = []
  const served = globalThis.fetch
  vi.stubGlobal('fetch', (input: string, options?: RequestInit) => {
    if (typeof options?.body === 'string') sent.push(JSON.parse(options.body))
    return served(input, options)
  })
  return sent
}

it('edits a note in place, based on the version that was shown', async () => {
  serve({ 'runs/mlp': { note: 'second try', labels: [], note_version: 4, labels_version: 0 } })
  const sent = bodies()
  const wrapper = cell('note', 'first try')
  await byTestId(wrapper, 'cell-note').trigger('click')
  await byTestId(wrapper, 'edit-note').setValue('second try')
  await byTestId(wrapper, 'edit-note').trigger('keydown', { key: 'Enter' })
  await settle()

  expect(sent).toEqual([{ note: 'second try', note_version: 3 }])
  expect(byTestId(wrapper, 'cell-note').text()).toBe('second try')
  expect(wrapper.emitted('saved')).toHaveLength(1)
})

it('adds and removes only the labels that were changed', async () => {
  serve({ 'runs/mlp': { note: '', labels: ['b', 'c'], note_version: 0, labels_version: 2 } })
  const sent = bodies()
  const wrapper = cell('labels', 'a, b')
  await byTestId(wrapper, 'cell-labels').trigger('click')
  await byTestId(wrapper, 'edit-labels').setValue('b, c')
  await byTestId(wrapper, 'edit-labels').trigger('keydown', { key: 'Enter' })
  await settle()

  expect(sent).toEqual([{ add_labels: ['c'], remove_labels: ['a'] }])
  expect(wrapper.findAll('.chip').map((chip) => chip.text())).toEqual(['b', 'c'])
})

it('sends nothing when nothing was changed or the edit is given up', async () => {
  const { requests } = serve({})
  const wrapper = cell('note', 'first try')
  await byTestId(wrapper, 'cell-note').trigger('click')
  await byTestId(wrapper, 'edit-note').trigger('keydown', { key: 'Enter' })
  await byTestId(wrapper, 'cell-note').trigger('click')
  await byTestId(wrapper, 'edit-note').setValue('other')
  await byTestId(wrapper, 'edit-note').trigger('keydown', { key: 'Escape' })

  expect(requests).toEqual([])
  expect(byTestId(wrapper, 'cell-note').text()).toBe('first try')
})

const inBody = (id: string): HTMLElement | null => document.body.querySelector(`[data-testid="${id}"]`)

it('keeps a note that could not be saved in its editor, and retries', async () => {
  serve({ 'runs/mlp': FAILED })
  const wrapper = cell('note', '')
  await byTestId(wrapper, 'cell-note').trigger('click')
  await byTestId(wrapper, 'edit-note').setValue('mine')
  await byTestId(wrapper, 'edit-note').trigger('keydown', { key: 'Enter' })
  await settle()
  expect(inBody('save-problem')?.textContent).toContain('the disk is on fire')
  expect((byTestId(wrapper, 'edit-note').element as HTMLTextAreaElement).value).toBe('mine')

  serve({ 'runs/mlp': { note: 'mine', labels: [], note_version: 4, labels_version: 0 } })
  inBody('save-retry')!.click()
  await settle()
  expect(inBody('save-problem')).toBeNull()
  expect(byTestId(wrapper, 'cell-note').text()).toBe('mine')
})

it('shows both notes when somebody else was faster, and overwrites by their version', async () => {
  const conflict = { field: 'note', yours: 'mine', current: 'theirs', version: 9 }
  const refusal = () =>
    Response.json(
      { error: { code: 'conflict', message: 'changed', details: { conflicts: [conflict] } } },
      { status: 409 },
    )
  serve({ 'runs/mlp': refusal })
  const wrapper = cell('note', '')
  await byTestId(wrapper, 'cell-note').trigger('click')
  await byTestId(wrapper, 'edit-note').setValue('mine')
  await byTestId(wrapper, 'edit-note').trigger('keydown', { key: 'Enter' })
  await settle()
  expect(inBody('conflict-theirs')?.textContent).toBe('theirs')
  inBody('conflict-merge')!.click()
  await settle()
  expect((inBody('conflict-mine') as HTMLTextAreaElement).value).toBe('theirs\nmine')

  serve({ 'runs/mlp': { note: 'theirs\nmine', labels: [], note_version: 10, labels_version: 0 } })
  const sent = bodies()
  inBody('conflict-overwrite')!.click()
  await settle()
  expect(sent).toEqual([{ note: 'theirs\nmine', note_version: 9 }])
})

it('makes a column of a scalar, by itself or where another is best', async () => {
  serve({ runs: runWindow(sampleRun('mlp')), 'scalars/tags': { tags: [{ tag: 'loss' }] } })
  const form = mountInPage(ScalarColumn)
  await byTestId(form, 'scalar-tag').trigger('focus')
  await settle()
  expect(form.findAll('datalist option').map((option) => option.attributes('value'))).toEqual(['loss'])
  expect(byTestId(form, 'scalar-add').attributes('disabled')).toBe('')

  await byTestId(form, 'scalar-tag').setValue('loss')
  await form.trigger('submit')
  await byTestId(form, 'scalar-tag').setValue('loss')
  await byTestId(form, 'scalar-how').setValue('at:max')
  await form.trigger('submit') // of which other one?
  await byTestId(form, 'scalar-other').setValue('accuracy')
  await form.trigger('submit')

  await byTestId(form, 'scalar-tag').setValue('loss')
  await byTestId(form, 'scalar-how').setValue('mean:')
  await form.trigger('submit') // of how many?
  await byTestId(form, 'scalar-count').setValue('5')
  await form.trigger('submit')

  expect(form.emitted('add')).toEqual([
    ['scalar/loss/last'],
    ['scalar/loss/at:max:accuracy'],
    ['scalar/loss/mean:5'],
  ])
})

it('lets a tag be typed when none can be offered', async () => {
  serve({ runs: FAILED })
  const form = mountInPage(ScalarColumn)
  await byTestId(form, 'scalar-tag').trigger('focus')
  await settle()
  await byTestId(form, 'scalar-tag').setValue('loss')

  expect(byTestId(form, 'scalar-add').attributes('disabled')).toBeUndefined()
})

it('completes a query by the suggestions of the service', async () => {
  const { requests } = serve({
    'lineage/complete': {
      begin: 0,
      end: 2,
      suggestions: [{ kind: 'column', text: 'learning_rate', label: 'learning_rate' }],
    },
  })
  const box = mountInPage(QueryBox, { props: { query: '', complaint: null } })
  const input = byTestId(box, 'lineage-query')
  ;(input.element as HTMLInputElement).focus()
  await input.setValue('le')
  await vi.waitFor(() => expect(byTestId(box, 'query-suggestions').exists()).toBe(true))
  await input.trigger('keydown', { key: 'Tab' })
  expect((input.element as HTMLInputElement).value).toBe('learning_rate ')
  expect(requests[0]).toContain('table=runs')

  await input.setValue('learning_rate > 0.1')
  await input.trigger('keydown', { key: 'Enter' })
  expect(box.emitted('search')).toEqual([['learning_rate > 0.1']])
})

it('points at what is wrong with a query until that is changed', async () => {
  serve({ 'lineage/complete': PENDING })
  const complaint = new ApiError('unknown column', 400, 'invalid', { position: 4, length: 3 })
  const box = mountInPage(QueryBox, { props: { query: 'lr >xyz', complaint } })
  expect(byTestId(box, 'query-complaint').find('mark').text()).toBe('xyz')
  expect(byTestId(box, 'lineage-query').attributes('aria-invalid')).toBe('true')

  await byTestId(box, 'lineage-query').setValue('lr > 1')
  expect(byTestId(box, 'query-complaint').exists()).toBe(false)
})
