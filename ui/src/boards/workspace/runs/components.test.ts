import { beforeEach, expect, it, vi } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { FAILED, PENDING, serve } from '@testing/service'
import RunsPage from './RunsPage.vue'

beforeEach(() => layOut(900, 400))

const row = (name: string, values: Readonly<Record<string, unknown>> = {}) => ({
  run: name,
  name,
  display_name: '',
  has_lineage: false,
  state: 'finished',
  tracker_status: '',
  colour: '',
  owner: '',
  labels: [],
  archived: false,
  hidden: false,
  progress: null,
  warning_count: 0,
  values: { run: name, ...values },
  note_version: 0,
  labels_version: 0,
})
const column = (name: string, facts: Readonly<Record<string, unknown>> = {}) => ({
  name,
  label: name,
  group: 'metric',
  type: 'float',
  count: 2,
  distinct: 2,
  is_constant: false,
  is_sparse: false,
  is_field: false,
  sources: [],
  status: 'ready',
  ...facts,
})
const table = (...rows: readonly ReturnType<typeof row>[]) => ({
  total: rows.length,
  matching: rows.length,
  folded: 0,
  columns: [column('accuracy'), column('optimizer', { group: 'hparam', type: 'text' })],
  suggested: ['accuracy', 'optimizer'],
  left_out: { constant: 2, sparse: 1, united: 0, other: 0 },
  main_metric: { column: 'accuracy', tag: 'accuracy', direction: 'max', is_guess: true },
  shown: ['accuracy', 'optimizer'],
  sort: '-accuracy,-updated_at',
  rows,
  groups: [],
  column_total: 2,
  type_mismatches: [],
})
/** A page whose charts have nothing to draw. */
const home = (reply: unknown) =>
  serve({
    'runs/table': reply,
    'scalars/tags': { tags: [], total: 0 },
    'compare/runs': { runs: [], missing: [] },
  })

const names = (wrapper: ReturnType<typeof mountInPage>): (string | undefined)[] =>
  wrapper.findAll('[data-testid=run-row]').map((line) => line.attributes('data-name'))

it('waits for the table of runs', async () => {
  home(PENDING)
  const page = mountInPage(RunsPage)
  await settle()

  expect(page.find('.skeleton').exists()).toBe(true)
  expect(byTestId(page, 'state-empty').exists()).toBe(false)
})

it('says why the table of runs failed, and retries', async () => {
  home(FAILED)
  const page = mountInPage(RunsPage)
  await settle()
  expect(byTestId(page, 'state-failed').text()).toContain('the disk is on fire')

  home(table(row('mlp')))
  await byTestId(page, 'retry').trigger('click')
  await settle()
  expect(names(page)).toEqual(['mlp'])
})

it('shows how to log a first run', async () => {
  home(table())
  const page = mountInPage(RunsPage)
  await settle()

  expect(byTestId(page, 'state-empty').find('code').text()).toContain('add_scalar')
})

it('states what runs are ranked by, that this is a guess, and how many columns are left out', async () => {
  home(table(row('mlp', { accuracy: 0.9, optimizer: 'adam' }), row('cnn', { accuracy: 0.8 })))
  const page = mountInPage(RunsPage)
  await settle()

  expect(names(page)).toEqual(['mlp', 'cnn'])
  await vi.waitFor(() => expect(byTestId(page, 'main-metric').exists()).toBe(true))
  expect(byTestId(page, 'main-metric').text()).toContain('best by Accuracy (higher is better, guessed')
  expect(byTestId(page, 'hidden-columns').text()).toBe('2 constant columns, 1 mostly empty hidden')
  expect(page.find('[aria-sort=descending]').attributes('data-key')).toBe('accuracy')
})

it('draws the first ten runs until somebody selects others', async () => {
  home(table(...Array.from({ length: 12 }, (_, at) => row(`run${at}`, { accuracy: 1 - at / 100 }))))
  const page = mountInPage(RunsPage)
  await settle()
  const checked = () => page.findAll('[data-testid=run-select][aria-checked=true]').length
  expect(checked()).toBe(10)
  expect(byTestId(page, 'drawn').text()).toBe('10 of 12 shown in charts')

  await page.findAll('[data-testid=run-select]')[0]!.trigger('click')
  await settle()
  expect(checked()).toBe(9)

  await byTestId(page, 'draw-first').trigger('click')
  await settle()
  expect(checked()).toBe(10)
})

it('expands a row to its sub-runs, by a click and by keys', async () => {
  const subRuns = [
    { run: 'a/train', name: 'a/train', role: 'training', number: null },
    { run: 'a/eval', name: 'a/eval', role: 'evaluation', number: null },
  ]
  const folded = { ...row('a', { accuracy: 0.9 }), run: 'a/train', sub_runs: subRuns }
  home({ ...table(folded, row('b')), folded: 1 })
  const page = mountInPage(RunsPage)
  await settle()
  expect(names(page)).toEqual(['a', 'b'])
  expect(byTestId(page, 'sub-runs-toggle').text()).toBe('2 sub-runs')
  expect(byTestId(page, 'drawn').text()).toBe('3 of 3 shown in charts')

  home(table(row('a/train'), row('a/eval')))
  await byTestId(page, 'sub-runs-toggle').trigger('click')
  await settle()
  expect(names(page)).toEqual(['a', 'a/train', 'a/eval', 'b'])
  expect(page.findAll('[data-testid=run-name]').map((name) => name.text())).toEqual([
    'a',
    'train',
    'eval',
    'b',
  ])

  await page.findAll('[data-testid=run-row]')[0]!.trigger('keydown', { key: 'ArrowLeft' })
  await settle()
  expect(names(page)).toEqual(['a', 'b'])
})
