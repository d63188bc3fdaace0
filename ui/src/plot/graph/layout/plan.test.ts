import { expect, test } from 'vitest'
import { edge, level, levels, node } from '@/plot/graph/samples'
import { planGraph, type Plan } from './plan'

const ids = (plan: Plan): string[] => plan.vertices.map(({ id }) => id)
const pairs = (plan: Plan): string[] => plan.edges.map(({ from, to }) => `${from} -> ${to}`)
const inner = (plan: Plan, id: string): Plan => plan.vertices.find((vertex) => vertex.id === id)!.inner!

test('only opened scopes have something inside', () => {
  const all = levels(
    level('', [node('a', 'scope'), node('b')], [edge('a', 'b')]),
    level('a', [node('a/x')], []),
  )

  expect(planGraph(all, new Set(), 'beside')!.vertices[0]!.inner).toBeNull()
  expect(ids(inner(planGraph(all, new Set(['a']), 'beside')!, 'a'))).toEqual(['a/x'])
  expect(planGraph(new Map(), new Set(), 'beside')).toBeNull()
})

test('a wire into an open scope ends at the port that leads on inside', () => {
  const all = levels(
    level('', [node('b'), node('a', 'scope')], [edge('b', 'a')]),
    level(
      'a',
      [node('a/x'), node('a/y')],
      [edge('outer:b', 'a/x'), edge('outer:b', 'a/y')],
      [{ name: 'b', label: 'b', look: 'operator' }],
    ),
  )

  const plan = planGraph(all, new Set(['a']), 'beside')!

  const port = inner(plan, 'a').vertices.find((vertex) => vertex.port === 'in')!
  expect(plan.edges.map(({ toPort }) => toPort)).toEqual([port.id])
  expect(port.outside).toEqual(['b'])
  expect(pairs(inner(plan, 'a'))).toEqual([`${port.id} -> a/x`, `${port.id} -> a/y`])
})

test('a way through two open scopes passes a port of each', () => {
  const outer = [{ name: 'b', label: 'b', look: 'operator' as const }]
  const all = levels(
    level('', [node('b'), node('a', 'scope')], [edge('b', 'a')]),
    level('a', [node('a/c', 'scope')], [edge('outer:b', 'a/c')], outer),
    level('a/c', [node('a/c/x')], [edge('outer:b', 'a/c/x')], outer),
  )

  const middle = inner(planGraph(all, new Set(['a', 'a/c']), 'beside')!, 'a')

  const deepest = inner(middle, 'a/c').vertices.find(({ port }) => port === 'in')!
  expect(middle.edges).toHaveLength(1)
  expect(middle.edges[0]!.toPort).toBe(deepest.id)
})

test('parameters stand beside their consumer, in the innermost open scope that shows it', () => {
  const outer = [{ name: 'w', label: 'w', look: 'parameter' as const }]
  const all = levels(
    level('', [node('w', 'parameter'), node('a', 'scope')], [edge('w', 'a')]),
    level('a', [node('a/x')], [edge('outer:w', 'a/x')], outer),
  )

  const closed = planGraph(all, new Set(), 'beside')!
  const open = planGraph(all, new Set(['a']), 'beside')!

  expect(ids(closed)).toEqual(['a'])
  expect(closed.vertices[0]!.beside.map(({ name }) => name)).toEqual(['w'])
  expect(open.vertices[0]!.beside).toEqual([])
  expect(inner(open, 'a').vertices[0]!.beside.map(({ name }) => name)).toEqual(['w'])
})

test('parameters are nodes of their own or hidden where that is wished, or when many need them', () => {
  const one = levels(level('', [node('w', 'parameter'), node('a')], [edge('w', 'a')]))
  const consumers = Array.from({ length: 9 }, (_, i) => node(`n${i}`))
  const many = levels(
    level(
      '',
      [node('w', 'parameter'), ...consumers],
      consumers.map(({ name }) => edge('w', name)),
    ),
  )

  expect(pairs(planGraph(one, new Set(), 'nodes')!)).toEqual(['w -> a'])
  expect(ids(planGraph(one, new Set(), 'hidden')!)).toEqual(['a'])
  expect(planGraph(one, new Set(), 'hidden')!.vertices[0]!.beside).toEqual([])
  expect(planGraph(many, new Set(), 'beside')!.edges).toHaveLength(9)
})

test('the last of many parameters beside a node says how many are left', () => {
  const weights = Array.from({ length: 7 }, (_, i) => node(`w${i}`, 'parameter'))
  const all = levels(
    level(
      '',
      [...weights, node('a')],
      weights.map(({ name }) => edge(name, 'a')),
    ),
  )

  const { beside } = planGraph(all, new Set(), 'beside')!.vertices[0]!

  expect(beside.map(({ label }) => label)).toEqual(['w0', 'w1', 'w2', '+ 4'])
})

test('very many ways out of a scope share a port', () => {
  const names = Array.from({ length: 30 }, (_, i) => `o${i}`)
  const outer = names.map((name) => ({ name, label: name, look: 'operator' as const }))
  const all = levels(
    level(
      '',
      [node('a', 'scope'), ...names.map((name) => node(name))],
      names.map((name) => edge(name, 'a')),
    ),
    level(
      'a',
      [node('a/x')],
      names.map((name) => edge(`outer:${name}`, 'a/x')),
      outer,
    ),
  )

  const plan = planGraph(all, new Set(['a']), 'beside')!

  const ports = inner(plan, 'a').vertices.filter(({ port }) => port === 'in')
  expect(ports).toHaveLength(12)
  expect(ports.flatMap(({ outside }) => outside).sort()).toEqual([...names].sort())
  expect(plan.edges.every(({ toPort }) => ports.some(({ id }) => id === toPort))).toBe(true)
})

test('children that are not there yet are offered, and wires to them left out', () => {
  const plan = planGraph(levels(level('', [node('a')], [edge('a', 'later')], [], 1600)), new Set(), 'beside')!

  expect(plan.vertices.map(({ node: { look } }) => look)).toEqual(['operator', 'more'])
  expect(plan.edges).toEqual([])
})

test('data and control between the same nodes stay two wires', () => {
  const plan = planGraph(
    levels(
      level(
        '',
        [node('a'), node('b')],
        [edge('a', 'b'), edge('a', 'b', 'control'), edge('a', 'b', 'data', 3)],
      ),
    ),
    new Set(),
    'beside',
  )!

  expect(plan.edges.map(({ kind, count }) => [kind, count])).toEqual([
    ['data', 4],
    ['control', 1],
  ])
})
