import { expect, it } from 'vitest'
import { byTestId, mountInPage, settle } from '@testing/mount'
import { sampleRun } from '@testing/runs'
import { FAILED, PENDING, serve } from '@testing/service'
import CodeChanges from './CodeChanges.vue'
import DifferenceTable from './DifferenceTable.vue'
import PatchView from './PatchView.vue'

it('tells added lines of a patch from removed ones and from its heads', () => {
  const patch = mountInPage(PatchView, { props: { text: '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z' } })

  expect(patch.findAll('div').map((line) => line.classes().join())).toEqual([
    'head',
    'head',
    'head',
    'gone',
    'new',
    '',
  ])
})

const record = (diff: string | null) => ({ values: {}, code: { diff }, environment: {}, problems: [] })
const changes = () =>
  mountInPage(CodeChanges, {
    props: { a: sampleRun('mlp'), b: sampleRun('cnn'), difference: '-lr = 1\n+lr = 2' },
  })
const patches = (wrapper: ReturnType<typeof changes>): string[] =>
  wrapper.findAll('[data-testid=patch]').map((patch) => patch.text())

it('shows the uncommitted changes of both runs, and how these differ', async () => {
  serve({ 'lineage/records/mlp': record('+lr = 1'), 'lineage/records/cnn': record('+lr = 2') })
  const wrapper = changes()
  await settle()

  expect(patches(wrapper)).toEqual(['+lr = 1', '+lr = 2', '-lr = 1+lr = 2'])
})

it('does not compare changes that only one run has', async () => {
  serve({ 'lineage/records/mlp': record('+lr = 1'), 'lineage/records/cnn': record(null) })
  const wrapper = changes()
  await settle()

  expect(patches(wrapper)).toEqual(['+lr = 1'])
})

it('does not call changes that are loading none', async () => {
  serve({ 'lineage/records/mlp': PENDING, 'lineage/records/cnn': PENDING })
  const waiting = changes()
  await settle()
  const text = waiting.find('.side .muted').text()

  serve({ 'lineage/records/mlp': record(null), 'lineage/records/cnn': record(null) })
  const empty = changes()
  await settle()
  expect(empty.find('.side .muted').text()).not.toBe(text)
})

it('says why changes failed to load, and retries', async () => {
  serve({ 'lineage/records/mlp': FAILED, 'lineage/records/cnn': record(null) })
  const wrapper = changes()
  await settle()
  expect(byTestId(wrapper, 'state-failed').text()).toContain('the disk is on fire')

  serve({ 'lineage/records/mlp': record('+lr = 1'), 'lineage/records/cnn': record(null) })
  await byTestId(wrapper, 'retry').trigger('click')
  await settle()
  expect(byTestId(wrapper, 'state-failed').exists()).toBe(false)
  expect(patches(wrapper)).toEqual(['+lr = 1'])
})

it('lists differences by kind, results first, with the importance of parameters', () => {
  const difference = (kind: string, name: string, importance: number | null = null) => ({
    kind,
    name,
    a: 0.5,
    b: null,
    importance,
  })
  const table = mountInPage(DifferenceTable, {
    props: {
      differences: [
        difference('environment', 'python'),
        difference('parameter', 'lr', 0.75),
        difference('parameter', 'seed'),
        difference('result', 'accuracy'),
      ],
      a: 'mlp',
      b: 'cnn',
      target: 'accuracy',
    },
  })
  const groups = table.findAll('[data-testid=difference-group]')
  expect(groups.map((group) => group.attributes('data-kind'))).toEqual(['result', 'parameter', 'environment'])

  const cells = (name: string): string[] => table.findAll(`[data-name=${name}] td`).map((cell) => cell.text())
  expect(cells('lr')[0]).toBe('0.5')
  expect(cells('lr')[2]).toBe('0.75')
  expect(cells('seed')[2]).toBe('–')
  expect(cells('python')).toHaveLength(2)
  expect(table.find('[data-name=lr] .new .muted').exists()).toBe(true) // B has no value
})
