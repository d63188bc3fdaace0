import { describe, expect, it, test } from 'vitest'
import type { GraphLevel } from './api'
import { nextScope } from './firstScopes'
import { graphView, type GraphView } from './graphView'
import { pipelineView } from './pipeline/pipelineView'

const EMPTY: GraphView = {
  run: null,
  graph: null,
  open: [],
  node: null,
  at: null,
  auxiliaries: 'beside',
  isFull: false,
}

test('what is not chosen is not in the address', () => {
  expect(graphView.write(EMPTY)).toEqual({ query: '', hash: '' })
  expect(graphView.read('')).toEqual(EMPTY)
})

test('every choice survives in the address', () => {
  const view: GraphView = {
    run: 'r1',
    graph: 'events@66',
    open: ['Default', 'Default/net&co/λ'],
    node: 'Default/x+y',
    at: { x: 120, y: -40, scale: 0.75 },
    auxiliaries: 'hidden',
    isFull: true,
  }
  const { query, hash } = graphView.write(view)

  expect(graphView.read(query, hash)).toEqual(view)
})

test('hundreds of open scopes go behind the #', () => {
  const open = Array.from({ length: 300 }, (_, i) => `Default/network/block${i}`)
  const { query, hash } = graphView.write({ ...EMPTY, open })

  expect(query).toBe('')
  expect(graphView.read(query, hash).open).toEqual(open)
})

test('an address that makes no sense shows the whole graph', () => {
  expect(graphView.read('at=1,2&aux=maybe').at).toBeNull()
  expect(graphView.read('at=a,b,c').at).toBeNull()
  expect(graphView.read('at=1,2,-3').at).toBeNull()
  expect(graphView.read('aux=maybe').auxiliaries).toBe('beside')
  expect(pipelineView.read('pipeline=-2').which).toBe(0)
})

test('the view of a pipeline survives in the address', () => {
  const view = { which: 1, closed: ['2'], node: '2/operation1', at: { x: 1, y: 2, scale: 1 }, isFull: false }
  const { query, hash } = pipelineView.write(view)

  expect(pipelineView.read(query, hash)).toEqual(view)
})

describe('scopes that open by themselves', () => {
  const level = (total: number, ...nodes: readonly (readonly [string, number])[]): GraphLevel =>
    ({ total, nodes: nodes.map(([name, inside]) => ({ name, inside })) }) as unknown as GraphLevel

  it('opens the largest of few scopes, until there is something to look at', () => {
    const known = new Map([['', level(3, ['input', 0], ['net', 40], ['loss', 6])]])
    expect(nextScope(known, [])).toBe('net')

    expect(nextScope(known, ['net'])).toBeNull() // not loaded yet
    known.set('net', level(2, ['net/a', 20], ['net/b', 20]))
    expect(nextScope(known, ['net'])).toBe('net/a')
    known.set('net/a', level(14, ['net/a/x', 3]))
    expect(nextScope(known, ['net', 'net/a'])).toBeNull()
  })

  it('leaves a graph that shows something as it is', () => {
    expect(nextScope(new Map([['', level(4, ['net', 40])]]), [])).toBeNull()
    expect(nextScope(new Map([['', level(2, ['a', 0], ['b', 0])]]), [])).toBeNull()
  })
})
