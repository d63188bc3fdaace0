import { expect, it } from 'vitest'
import { EMPTY_LINEAGE_VIEW, readLineageView, writeLineageView, type LineageView } from './lineageView'

it('leaves defaults out of the address and comes back from it', () => {
  expect(writeLineageView(EMPTY_LINEAGE_VIEW)).toEqual({ query: '', hash: '' })
  const view: LineageView = { ...EMPTY_LINEAGE_VIEW, tab: 'parallel', query: 'metric/accuracy > 0.9 and optimizer = "Adam"', target: 'metric/accuracy', isWhole: true, columns: ['hparam/lr'] }
  const { query, hash } = writeLineageView(view)
  expect(readLineageView(query, hash)).toEqual(view)
})
