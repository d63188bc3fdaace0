import { expect, it } from 'vitest'
import { byTestId, mountInPage, settle } from '@testing/mount'
import { FAILED, PENDING, serve } from '@testing/service'
import type { LineageNode } from './api'
import LineageList from './LineageList.vue'
import LineageNodePanel from './LineageNodePanel.vue'
import LineagePreview from './LineagePreview.vue'
import RecordDetails from './RecordDetails.vue'

const record = {
  values: { 'metric/accuracy': 0.5, 'hparam/lr': 0.1 },
  code: { command: 'python train.py', diff: '+lr = 0.1' },
  environment: { python: '3.12', packages: { numpy: '2.0' } },
  problems: ['the pipeline was cut'],
}
const details = () => mountInPage(RecordDetails, { props: { run: 'mlp' } })

it('shows the record of a run part by part', async () => {
  serve({ 'lineage/records/mlp': record })
  const wrapper = details()
  await settle()
  const parts = wrapper.findAll('[data-testid=record-part]')

  expect(parts.map((part) => part.attributes('data-part'))).toEqual([
    'metrics',
    'parameters',
    'code',
    'environment',
  ])
  expect(parts[0]!.find('dl').text()).toBe('Accuracy0.5')
  expect(byTestId(wrapper, 'record-command').text()).toBe('python train.py')
  expect(byTestId(wrapper, 'record-diff').text()).toBe('+lr = 0.1')
  expect(wrapper.find('[role=status]').text()).toBe('the pipeline was cut')
})

it('waits for a record, says that it is empty, and retries after a failure', async () => {
  serve({ 'lineage/records/mlp': PENDING })
  const waiting = details()
  await settle()
  expect(waiting.find('.skeleton').exists()).toBe(true)

  serve({ 'lineage/records/mlp': { values: {}, code: {}, environment: {}, problems: [] } })
  const empty = details()
  await settle()
  expect(empty.find('.skeleton').exists()).toBe(false)
  expect(empty.find('.muted').exists()).toBe(true)

  serve({ 'lineage/records/mlp': FAILED })
  const failed = details()
  await settle()
  expect(byTestId(failed, 'state-failed').text()).toContain('the disk is on fire')
  serve({ 'lineage/records/mlp': record })
  await byTestId(failed, 'retry').trigger('click')
  await settle()
  expect(failed.findAll('[data-testid=record-part]')).toHaveLength(4)
})

const node = (id: string, kind: LineageNode['kind'], run = ''): LineageNode => ({
  id,
  kind,
  label: id,
  run,
  details: kind === 'data' ? { path: '/data/mnist', bytes: 2048 } : {},
})
const graph = {
  nodes: [node('mnist', 'data'), node('mlp', 'run', 'mlp'), node('away', 'run')],
  edges: [{ source: 'mnist', target: 'mlp', relation: 'trained_on' }],
  is_truncated: false,
}

it('lists the lineage graph with what comes before and after each node', async () => {
  const list = mountInPage(LineageList, { props: { graph, selected: 'mlp' } })
  const rows = list.findAll('[data-testid=lineage-row]')
  const sides = (row: number): string[] => rows[row]!.findAll('td').map((side) => side.text())
  expect(sides(0)[0]).toBe('')
  expect(sides(0)[1]).toContain('mlp')
  expect(sides(1)[0]).toContain('mnist')
  expect(rows.map((row) => row.find('button').attributes('aria-pressed'))).toEqual(['false', 'true', 'false'])

  await rows[0]!.find('button').trigger('click')
  expect(list.emitted('select')).toEqual([['mnist']])
})

it('describes a node, and leads to its neighbours', async () => {
  const panel = mountInPage(LineageNodePanel, { props: { node: graph.nodes[0], graph, run: 'mlp' } })
  expect(byTestId(panel, 'lineage-node-name').text()).toBe('mnist')
  expect(panel.find('dl').text()).toContain('/data/mnist')

  await byTestId(panel, 'lineage-jump').trigger('click')
  expect(panel.emitted('select')).toEqual([['mlp']])
})

it('says of a run that it is not here, and links to one that is', async () => {
  serve({ 'lineage/records/mlp': record })
  const panel = mountInPage(LineageNodePanel, { props: { node: graph.nodes[2], graph, run: 'cnn' } })
  expect(byTestId(panel, 'lineage-not-here').exists()).toBe(true)

  await panel.setProps({ node: graph.nodes[1] })
  expect(byTestId(panel, 'lineage-not-here').exists()).toBe(false)
  expect(byTestId(panel, 'go-to-lineage').attributes('href')).toBe('/runs/mlp/lineage')
})

const nodeOf = (id: string, kind: LineageNode['kind'], label = id): LineageNode => ({
  id,
  kind,
  label,
  run: kind === 'run' ? id : '',
  details: {},
})
const neighbourhood = {
  nodes: [
    nodeOf('mlp', 'run'),
    nodeOf('first', 'run'),
    nodeOf('train', 'data'),
    nodeOf('best.ckpt', 'checkpoint'),
  ],
  edges: [
    { source: 'train', target: 'mlp', relation: 'input' },
    { source: 'first', target: 'mlp', relation: 'resumed from' },
    { source: 'mlp', target: 'best.ckpt', relation: 'output' },
  ],
  is_truncated: false,
}
const preview = () => mountInPage(LineagePreview, { props: { run: 'mlp', tags: [] } })

it('previews what a run was made from, runs first, and what was made from it', async () => {
  serve({ 'lineage/graph/mlp': neighbourhood })
  const wrapper = preview()
  await settle()

  expect(wrapper.findAll('[data-testid=tile-fact]').map((item) => item.attributes('title'))).toEqual([
    'first',
    'train',
    'best.ckpt',
  ])
  expect(wrapper.find('a').attributes('href')).toBe('/runs/first')
})

it('waits for the surroundings of a run, and retries after a failure', async () => {
  serve({ 'lineage/graph/mlp': PENDING })
  const waiting = preview()
  await settle()
  expect(byTestId(waiting, 'tile-skeleton').exists()).toBe(true)

  serve({ 'lineage/graph/mlp': FAILED })
  const failed = preview()
  await settle()
  serve({ 'lineage/graph/mlp': neighbourhood })
  await byTestId(failed, 'retry').trigger('click')
  await settle()
  expect(failed.findAll('[data-testid=tile-fact]')).toHaveLength(3)
})
