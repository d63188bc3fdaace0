import { expect, test } from 'vitest'
import { readPipelineView, writePipelineView } from './pipelineView'
import { readGraphView, writeGraphView, type GraphView } from './view'

const EMPTY: GraphView = { run: null, graph: null, open: [], node: null, at: null, auxiliaries: 'beside', isFull: false }

test('what is not chosen is not in the address', () => {
  expect(writeGraphView(EMPTY)).toEqual({ query: '', hash: '' })
  expect(readGraphView('')).toEqual(EMPTY)
})

test('every choice survives in the address', () => {
  const view: GraphView = {
    run: 'r1', graph: 'events@66', open: ['Default', 'Default/net&co/λ'], node: 'Default/x+y', at: { x: 120, y: -40, scale: 0.75 }, auxiliaries: 'hidden', isFull: true,
  }
  const { query, hash } = writeGraphView(view)

  expect(readGraphView(query, hash)).toEqual(view)
})

test('hundreds of open scopes go behind the #', () => {
  const open = Array.from({ length: 300 }, (_, i) => `Default/network/block${i}`)
  const { query, hash } = writeGraphView({ ...EMPTY, open })

  expect(query).toBe('')
  expect(readGraphView(query, hash).open).toEqual(open)
})

test('an address that makes no sense shows the whole graph', () => {
  expect(readGraphView('at=1,2&aux=maybe').at).toBeNull()
  expect(readGraphView('at=a,b,c').at).toBeNull()
  expect(readGraphView('at=1,2,-3').at).toBeNull()
  expect(readGraphView('aux=maybe').auxiliaries).toBe('beside')
  expect(readPipelineView('pipeline=-2').which).toBe(0)
})

test('the view of a pipeline survives in the address', () => {
  const view = { which: 1, closed: ['2'], node: '2/operation1', at: { x: 1, y: 2, scale: 1 }, isFull: false }
  const { query, hash } = writePipelineView(view)

  expect(readPipelineView(query, hash)).toEqual(view)
})
