import { expect, test } from 'vitest'
import { changeOf, EQUAL, found, foundTime, rectanglesOf, treeOf, type FlameNode } from './flameTree'

const node = (id: number, parent: number, name: string, total: number, other_total?: number): FlameNode => ({
  id,
  parent,
  name,
  activity: 'operator',
  count: 1,
  total,
  self: 0,
  ...(other_total !== undefined && { other_total }),
})
const NODES = [
  node(0, -1, 'step', 80),
  node(1, 0, 'conv', 20),
  node(2, 0, 'matmul add', 60),
  node(3, 2, 'add', 30),
  node(4, -1, 'save', 20),
]

test('every node is as wide as its time and lies below its caller', () => {
  const drawn = rectanglesOf(treeOf(NODES), null, 0)
  expect(drawn.map(({ node, depth, x, width }) => [node.name, depth, x, width])).toEqual([
    ['step', 0, 0, 0.8],
    ['matmul add', 1, 0, 0.6000000000000001],
    ['add', 2, 0, 0.30000000000000004],
    ['conv', 1, 0.6000000000000001, 0.2],
    ['save', 0, 0.8, 0.2],
  ])
  expect(rectanglesOf(treeOf(NODES), null, 0.25).map(({ node }) => node.id)).toEqual([0, 2, 3])
})

test('a chosen node takes the whole width, with its callers above', () => {
  const drawn = rectanglesOf(treeOf(NODES), 2, 0)
  expect(drawn.map(({ node, depth, width }) => [node.id, depth, width])).toEqual([
    [0, 0, 1],
    [2, 1, 1],
    [3, 2, 0.5],
  ])
})

test('of two recordings the larger one counts, and calls never reach out of their caller', () => {
  const both = [node(0, -1, 'step', 10, 10), node(1, 0, 'old', 10, 0), node(2, 0, 'new', 0, 10)]
  const drawn = rectanglesOf(treeOf(both), null, 0)
  expect(drawn.map(({ width }) => width)).toEqual([1, 0.5, 0.5])
  expect(both.map((each) => changeOf(each, EQUAL))).toEqual([0, -1, 1])
  expect(changeOf(node(0, -1, 'step', 10, 40), { one: 1, other: 0.5 })).toBe(0.5)
})

test('what is found is counted once', () => {
  const ids = found(NODES, 'ADD')
  expect([...ids]).toEqual([2, 3])
  expect(foundTime(treeOf(NODES), ids)).toBe(60)
  expect(found(NODES, ' ').size).toBe(0)
})
