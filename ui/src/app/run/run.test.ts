import { beforeEach, expect, it, vi } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { sampleRun } from '@testing/runs'
import { FAILED, PENDING, serve } from '@testing/service'
import type { RunWithFiles } from '@/board/runs/api'
import type { TableColumn } from './api'
import RunPage from './RunPage.vue'
import RunTile from './RunTile.vue'
import TagsPreview from './TagsPreview.vue'

beforeEach(() => layOut())

const runPage = () => mountInPage(RunPage, { props: { run: 'mlp' } })
const details = (facts: Partial<RunWithFiles> = {}) => ({
  ...sampleRun('mlp'),
  files: [{ name: 'events.1', bytes: 400, offset: 100, dialect: 'tensorboard' }],
  ...facts,
})
const column = (name: string, group: string, facts: Partial<TableColumn> = {}): TableColumn => ({
  name,
  label: name,
  group,
  type: 'text',
  count: 12,
  distinct: null,
  is_constant: false,
  is_sparse: false,
  is_field: false,
  sources: [],
  tag: '',
  direction: '',
  status: 'ready',
  domain: null,
  ...facts,
})
const EMPTY_TABLE = { columns: [], main_metric: null, rows: [] }
const tag = { tag: 'weights', count: 3, first_step: 0, last_step: 1200 }

it('holds the place of the tiles until the run is known', async () => {
  serve({ 'runs/table': EMPTY_TABLE, 'runs/mlp': PENDING, 'runs/mlp/tags': {} })
  const page = runPage()
  await settle()

  expect(page.find('.skeleton').exists()).toBe(true)
  expect(byTestId(page, 'run-facts').exists()).toBe(false)
})

it('says why a run failed to load, and retries', async () => {
  serve({ 'runs/table': EMPTY_TABLE, 'runs/mlp': FAILED, 'runs/mlp/tags': {} })
  const page = runPage()
  await settle()
  expect(byTestId(page, 'state-failed').text()).toContain('the disk is on fire')

  serve({ 'runs/table': EMPTY_TABLE, 'runs/mlp': details({ counts: {} }), 'runs/mlp/tags': {} })
  await byTestId(page, 'retry').trigger('click')
  await settle()
  expect(byTestId(page, 'state-failed').exists()).toBe(false)
  expect(byTestId(page, 'run-facts').text()).toContain('mlp')
})

it('shows how to log to a run that has nothing yet', async () => {
  serve({ 'runs/table': EMPTY_TABLE, 'runs/mlp': details({ counts: {} }), 'runs/mlp/tags': {} })
  const page = runPage()
  await settle()

  expect(byTestId(page, 'state-empty').find('code').text()).toContain('add_scalar')
  expect(page.findAll('[data-testid=tile]')).toEqual([])
})

it('has a tile for each kind of data of the run, its warnings and what it lacks', async () => {
  const warning = (message: string) => ({ file: 'events.1', offset: 0, kind: 'damaged', message })
  serve({
    'runs/table': EMPTY_TABLE,
    'runs/mlp': details({
      counts: { tensors: 1 },
      labels: ['baseline'],
      note: 'first try',
      warnings: ['one', 'two', 'three', 'four'].map(warning),
      warning_count: 9,
    }),
    'runs/mlp/tags': { tensors: [tag] },
    tensors: PENDING,
  })
  const page = runPage()
  await settle()

  const tiles = page.findAll('[data-testid=tile]')
  expect(tiles.map((tile) => tile.attributes('data-board'))).toEqual(['tensors'])
  expect(byTestId(page, 'tile-link').attributes('href')).toBe('/runs/mlp/tensors')
  expect(byTestId(page, 'run-facts').text()).toMatch(/finished.*1\D200.*baseline.*first try/s)
  expect(page.findAll('[data-testid=run-warnings] li').map((item) => item.text())).toEqual([
    'events.1: one',
    'events.1: two',
    'events.1: three',
  ])
  expect(page.find('[data-testid=missing-kinds] [data-board=scalars] code').text()).toContain('add_scalar')
  expect(page.find('[data-testid=missing-kinds] [data-board=tensors]').exists()).toBe(false)
})

const props = { to: '/runs/mlp/images', icon: 'images', label: 'Images', note: '3 tags' }

it('leads from a tile to its board, and fills it only when it is near', async () => {
  const near = mountInPage(RunTile, { props, slots: { default: '<p class="preview" />' } })
  await settle()
  expect(byTestId(near, 'tile-link').attributes('href')).toBe('/runs/mlp/images')
  expect(near.find('.preview').exists()).toBe(true)

  vi.stubGlobal(
    'IntersectionObserver',
    class {
      observe(): void {}
      unobserve(): void {}
    },
  )
  const far = mountInPage({
    components: { RunTile },
    setup: () => ({ props }),
    template: '<div data-scroller><RunTile v-bind="props"><p class="preview" /></RunTile></div>',
  })
  await settle()
  expect(far.find('.preview').exists()).toBe(false)
})

it('previews the newest tags of a board without a preview of its own', () => {
  const tags = Array.from({ length: 9 }, (_, i) => ({ tag: `t${i}`, kind: 'profiles', lastStep: 1000 * i }))
  const preview = mountInPage(TagsPreview, { props: { run: 'mlp', tags } })
  const facts = preview.findAll('[data-testid=tile-fact]')

  expect(facts).toHaveLength(7)
  expect(facts[3]!.text()).toMatch(/t3.*3\D000/)
})

it('puts results and parameters first, canonical names with where they come from and what disagrees', async () => {
  const columns = [
    column('loss', 'metric', { is_field: true, sources: [{ name: 'scalar/loss/last', count: 12 }] }),
    column('accuracy', 'metric', { is_field: true }),
    column('optimizer', 'hparam', {
      is_field: true,
      sources: ['hparam/opt', 'hparam/optim'].map((name) => ({ name, count: 6 })),
    }),
    column('hparam/opt', 'hparam'),
    column('hparam/width', 'hparam', { label: 'width' }),
    column('code/commit', 'code', { label: 'commit' }),
  ]
  const table = {
    columns,
    main_metric: { column: 'accuracy', tag: '' },
    rows: [
      {
        run: 'mlp',
        values: {
          loss: 0.25,
          accuracy: 0.9375,
          optimizer: 'adam',
          'hparam/opt': 'adam',
          'hparam/width': 64,
          'code/commit': 'a41c9e2',
        },
        conflicts: {
          optimizer: [
            { column: 'hparam/opt', value: 'adam' },
            { column: 'hparam/optim', value: 'sgd' },
          ],
        },
      },
      { run: 'parent', values: { optimizer: 'adam', 'hparam/width': 32 } },
    ],
  }
  const neighbourhood = {
    nodes: ['mlp', 'parent'].map((id) => ({ id, kind: 'run', label: id, run: id, details: {} })),
    edges: [{ source: 'parent', target: 'mlp', relation: 'resumed from' }],
    is_truncated: false,
  }
  serve({
    'runs/table': table,
    'runs/mlp': details({ counts: { tensors: 1 }, has_lineage: true }),
    'runs/mlp/tags': { tensors: [tag] },
    'lineage/graph/mlp': neighbourhood,
    tensors: PENDING,
  })
  const page = runPage()
  await settle()

  expect(page.findAll('[data-testid=run-metric]').map((metric) => metric.text())).toEqual([
    '0.9375Accuracy, best of 12',
    '0.25Train loss',
  ])
  const rows = page.findAll('[data-testid=run-value]')
  expect(rows.map((row) => row.attributes('data-name'))).toEqual(['optimizer', 'hparam/width', 'code/commit'])
  expect(rows[0]!.find('dt').attributes('title')).toContain('hparam/opt')
  expect(byTestId(page, 'value-conflict').attributes('title')).toContain('hparam/optim = sgd')
  expect(rows[1]!.text()).toBe('width64was 32')
  expect(byTestId(page, 'is-best').exists()).toBe(true)
})

it('says how a run stands, how far it is, and why it failed', async () => {
  const progress = { step: 360, total_steps: 500, fraction: 0.72, eta_seconds: 960 }
  serve({
    'runs/table': EMPTY_TABLE,
    'runs/mlp': details({ counts: {}, state: 'running', progress }),
    'runs/mlp/tags': {},
  })
  const running = runPage()
  await settle()
  expect(byTestId(running, 'run-state').text()).toBe('running')
  expect(byTestId(running, 'run-progress').text()).toMatch(/step 360 of 500, about 16\D+ left/)

  serve({
    'runs/table': EMPTY_TABLE,
    'runs/mlp': details({
      counts: {},
      state: 'failed',
      tracker_status: 'failure',
      exit_reason: 'exit code 1',
    }),
    'runs/mlp/tags': {},
  })
  const failed = runPage()
  await settle()
  expect(byTestId(failed, 'run-state').text()).toBe('failed (failure)')
  expect(byTestId(failed, 'exit-reason').text()).toBe('exit code 1')
})

it('shows how far each file of a run is read', async () => {
  serve({ 'runs/table': EMPTY_TABLE, 'runs/mlp': details(), 'runs/mlp/tags': {} })
  const page = runPage()
  await settle()

  expect(byTestId(page, 'file-row').text()).toMatch(/events\.1.*25 %/)
  expect(page.findAll('[data-testid=warning-row]')).toEqual([])
})

it('lists warnings of a run and of its profiles, and counts those that are not sent', async () => {
  const warnings = [{ file: 'events.1', offset: 1234, kind: 'damaged', message: 'bad checksum' }]
  const profile = {
    id: 'p',
    run: 'mlp',
    name: 'trace.json',
    session: '',
    state: 'ready',
    losses: [{ message: 'cut off', count: 1, file: '' }],
    loss_count: 3,
  }
  serve({
    'runs/table': EMPTY_TABLE,
    'runs/mlp': details({ counts: { profiles: 1 }, warnings, warning_count: 41 }),
    'runs/mlp/tags': {},
    profiles: { profiles: [profile] },
  })
  const page = runPage()
  await settle()

  expect(byTestId(page, 'warning-row').text()).toMatch(/events\.1.*1\D234.*bad checksum/)
  expect(byTestId(page, 'profile-warning-row').text()).toMatch(/trace\.json.*cut off/)
  expect(byTestId(page, 'run-warning-list').find('.chip').text()).toBe('44')
  expect(byTestId(page, 'run-warning-list').findAll('p').at(-1)!.text()).toContain('42')
})
