import { expect, test } from 'vitest'
import { edge, level, levels, node } from '@/plot/graph/samples'
import { boxAt, neighboursOf, stepFrom, type Scene } from '@/plot/graph/scene'
import { composer } from './compose'
import { layeredLayout } from './layered'
import { planGraph } from './plan'

const outer = [{ name: 'b', label: 'b', look: 'operator' as const }]
const GRAPH = levels(
  level(
    '',
    [node('b'), node('a', 'scope'), node('c'), node('w', 'parameter')],
    [edge('b', 'a'), edge('a', 'c'), edge('w', 'c')],
  ),
  level(
    'a',
    [node('a/x'), node('a/y')],
    [edge('outer:b', 'a/x'), edge('a/x', 'a/y'), edge('a/y', 'outer:c')],
    [...outer, { name: 'c', label: 'c', look: 'operator' }],
  ),
)
const measure = (text: string, size: number): number => text.length * size * 0.5

let calls = 0
const made = composer((graph) => {
  calls++
  return Promise.resolve(layeredLayout(graph))
}, measure)
const scene = async (...open: string[]): Promise<Scene> =>
  (await made.compose(planGraph(GRAPH, new Set(open), 'beside')!, () => true))!

test('what is in an open scope lies inside of its box, below its name', async () => {
  const { byName } = await scene('a')

  const [holder, inner] = [byName.get('a')!, byName.get('a/x')!]
  expect(holder.isOpen).toBe(true)
  expect(inner.x).toBeGreaterThan(holder.x)
  expect(inner.y).toBeGreaterThan(holder.y + 20)
  expect(inner.x + inner.width).toBeLessThan(holder.x + holder.width)
  expect(inner.y + inner.height).toBeLessThan(holder.y + holder.height)
})

test('a wire ends right above the port that it goes on from', async () => {
  const { wires, boxes } = await scene('a')

  const port = boxes.find((box) => box.port === 'in')!
  const wire = wires.find(({ to }) => to === port.key)!
  expect(wire.points.at(-2)).toBeCloseTo(port.x + port.width / 2, 0)
})

test('scopes that look as before are not laid out again', async () => {
  await scene('a')
  const before = calls
  await scene('a')
  expect(calls).toBe(before)
  await scene()
  await scene()
  expect(calls - before).toBeLessThanOrEqual(1)
})

test('a scene that is not wanted any more is not finished', async () => {
  expect(await made.compose(planGraph(GRAPH, new Set(['a']), 'beside')!, () => false)).toBeNull()
})

test('the innermost box is the one that is pointed at', async () => {
  const drawn = await scene('a')
  const inner = drawn.byName.get('a/x')!

  expect(boxAt(drawn, inner.x + 2, inner.y + 2)!.node.name).toBe('a/x')
  expect(boxAt(drawn, -50, -50)).toBeNull()
})

test('neighbours are found through ports, and beside a node', async () => {
  const drawn = await scene('a')

  const names = (name: string): string[] =>
    [...neighboursOf(drawn, name).boxes]
      .map((key) => drawn.byKey.get(key)!)
      .filter(({ port }) => port === null)
      .map(({ node: { name: own } }) => own)
      .sort()

  expect(names('b')).toEqual(['a/x'])
  expect(names('a/y')).toEqual(['a/x', 'c'])
  expect(names('c')).toEqual(['a/y', 'w'])
})

test('arrow keys follow the wires, also into and out of open scopes', async () => {
  const drawn = await scene('a')
  const walk = (from: string, direction: Parameters<typeof stepFrom>[2]): string | undefined =>
    stepFrom(drawn, drawn.byName.get(from)!, direction)?.node.name

  expect(walk('b', 'down')).toBe('a/x')
  expect(walk('a/x', 'down')).toBe('a/y')
  expect(walk('a/y', 'down')).toBe('c')
  expect(walk('a/x', 'up')).toBe('b')
  expect(walk('c', 'left')).toBe('w')
  expect(walk('w', 'down')).toBe('c')
})
