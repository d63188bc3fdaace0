import { expect, test } from 'vitest'
import { layeredLayout } from './layered'
import type { LayoutGraph, LayoutNode } from './layout'

const node = (id: string, layer: LayoutNode['layer'] = null): LayoutNode => ({
  id,
  width: 100,
  height: 30,
  layer,
  inputs: [{ id: '', x: 50 }],
  outputs: [{ id: '', x: 50 }],
})
const edge = (from: string, to: string) => ({ id: `${from}${to}`, from, to, fromPort: '', toPort: '' })

function overlaps({ nodes }: LayoutGraph, places: ReturnType<typeof layeredLayout>['places']): boolean {
  const boxes = nodes.map(({ id, width, height }) => ({ ...places.get(id)!, width, height }))
  return boxes.some((a, i) =>
    boxes
      .slice(i + 1)
      .some(
        (b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height,
      ),
  )
}

test('every wire leads down, and nothing overlaps', () => {
  const graph = {
    nodes: ['a', 'b', 'c', 'd'].map((id) => node(id)),
    edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('c', 'd')],
  }

  const { places } = layeredLayout(graph)

  for (const { from, to } of graph.edges) expect(places.get(to)!.y).toBeGreaterThan(places.get(from)!.y + 30)
  expect(overlaps(graph, places)).toBe(false)
})

test('circles are laid out, too', () => {
  const graph = {
    nodes: ['a', 'b', 'c'].map((id) => node(id)),
    edges: [edge('a', 'b'), edge('b', 'c'), edge('c', 'a'), edge('a', 'a')],
  }

  const { places, routes } = layeredLayout(graph)

  expect(places.get('b')!.y).toBeGreaterThan(places.get('a')!.y)
  expect(routes.size).toBe(4)
  expect([...routes.values()].flat().every(Number.isFinite)).toBe(true)
})

test('ports are above and below everything else', () => {
  const graph = {
    nodes: [node('out', 'last'), node('a'), node('b'), node('in', 'first')],
    edges: [edge('in', 'b'), edge('a', 'b'), edge('a', 'out')],
  }

  const { places } = layeredLayout(graph)

  expect(places.get('in')!.y).toBeLessThan(places.get('a')!.y)
  expect(places.get('out')!.y).toBeGreaterThan(places.get('b')!.y)
})

test('thousands of nodes side by side become rows, and long chains no problem', () => {
  const wide = { nodes: Array.from({ length: 5000 }, (_, i) => node(`n${i}`)), edges: [] }
  const long = { nodes: wide.nodes, edges: wide.nodes.slice(1).map(({ id }, i) => edge(`n${i}`, id)) }

  expect(layeredLayout(wide).width).toBeLessThan(7000)
  expect(layeredLayout(long).places.get('n4999')!.y).toBe(4999 * (30 + 56))
})
