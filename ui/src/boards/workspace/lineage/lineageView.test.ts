import { expect, it } from 'vitest'
import { lineageView, type LineageView } from './lineageView'

it('leaves defaults out of the address and comes back from it', () => {
  expect(lineageView.write(lineageView.defaults)).toEqual({ query: '', hash: '' })
  const view: LineageView = {
    ...lineageView.defaults,
    tab: 'parallel',
    query: 'metric/accuracy > 0.9 and optimizer = "Adam"',
    target: 'metric/accuracy',
    isWhole: true,
    columns: ['hparam/lr'],
  }
  const { query, hash } = lineageView.write(view)
  expect(lineageView.read(query, hash)).toEqual(view)
})
