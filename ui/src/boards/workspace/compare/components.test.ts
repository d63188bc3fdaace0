import { beforeEach, expect, it } from 'vitest'
import { byTestId, layOut, mountInPage, settle } from '@testing/mount'
import { FAILED, serve } from '@testing/service'
import CacheLine from './CacheLine.vue'
import ColumnSelect from './ColumnSelect.vue'
import { w } from './words'

beforeEach(() => layOut(300, 240))

const columns = [
  { name: 'hparam/lr', label: 'lr', group: 'hparam' },
  { name: 'hparam/seed', label: 'seed', group: 'hparam' },
  { name: 'metric/loss', label: 'loss', group: 'metric' },
]
const select = (chosen: string) =>
  mountInPage(ColumnSelect, { props: { columns, chosen, label: 'Group by', name: 'group' } })

it('offers columns in their groups, or none', async () => {
  const wrapper = select('hparam/lr')
  const field = byTestId(wrapper, 'group-select')
  expect((field.element as HTMLSelectElement).value).toBe('hparam/lr')
  expect(wrapper.findAll('optgroup').map((group) => group.findAll('option').length)).toEqual([2, 1])

  await field.setValue('metric/loss')
  await field.setValue('')
  expect(wrapper.emitted('choose')).toEqual([['metric/loss'], ['']])
})

it('keeps a column of the address that no run has any more', () => {
  const wrapper = select('hparam/gone')

  expect((byTestId(wrapper, 'group-select').element as HTMLSelectElement).value).toBe('hparam/gone')
})

const cache = { runs: 2, bytes: 2048, limit: 1 << 30, warm_runs: 50, hits: 7, misses: 1 }
const open = async () => {
  const line = mountInPage(CacheLine, { props: { cache } })
  await byTestId(line, 'cache-details').trigger('click')
  await settle()
  return line
}

it('sums the cache up, and lists its runs once they are asked for', async () => {
  const cached_runs = [
    { run: 'a', name: 'mlp', tags: 12, bytes: 1024 },
    { run: 'b', name: 'cnn', tags: 3, bytes: 1024 },
  ]
  const { requests } = serve({ 'compare/cache': { ...cache, cached_runs } })
  const closed = mountInPage(CacheLine, { props: { cache } })
  expect(closed.text()).toContain(w.value.cacheCounts('7', '1'))
  expect(requests).toEqual([])

  const line = await open()
  expect(line.findAll('[data-testid=cache-run]').map((row) => row.text())).toEqual([
    expect.stringContaining('mlp12'),
    expect.stringContaining('cnn3'),
  ])
})

it('does not call a cache empty whose runs cannot be listed', async () => {
  serve({ 'compare/cache': FAILED })
  const line = await open()

  expect(line.text()).toContain(w.value.cacheElsewhere)
  expect(line.text()).not.toContain(w.value.cacheEmpty)
})
