import { expect, it } from 'vitest'
import { treeOf, type PipelineOperator } from './pipelineTree'

const operator = (number: number, parent: number | null, children: readonly number[]): PipelineOperator => ({
  number,
  type: `op ${number}`,
  workers: 1,
  capacity: null,
  samples: 0,
  mean_size: null,
  usage: null,
  incoming_usage: null,
  empty: null,
  full: null,
  parent,
  children,
  cost: null,
  rule: null,
})
const shape = (operators: readonly PipelineOperator[]): string =>
  treeOf(operators)
    .map(({ operator, depth }) => `${'-'.repeat(depth)}${operator.number}`)
    .join(' ')

it('begins at the end of the pipeline', () => {
  expect(
    shape([
      operator(2, 1, []),
      operator(3, 4, []),
      operator(1, 0, [2, 4]),
      operator(4, 1, [3]),
      operator(0, null, [1]),
    ]),
  ).toBe('0 -1 --2 --4 ---3')
})

it('shows every operator once, even of a damaged file', () => {
  expect(shape([operator(0, 1, [1]), operator(1, 0, [0, 9])])).toBe('0 -1')
})
