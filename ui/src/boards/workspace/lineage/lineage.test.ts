import { describe, expect, it } from 'vitest'
import type { LineageNeighbourhood } from '@/boards/workspace/lineageGraph/api'
import { lineageGraphView } from '@/boards/workspace/lineageGraph/lineageGraphView'
import { lineageLevel, neighboursIn, shortHash } from '@/boards/workspace/lineageGraph/lineageModel'
import { partsOf, valueText } from '@/boards/workspace/lineageGraph/recordValues'
import { firstTag, whyView } from '@/boards/workspace/why/whyView'
import { placeIn } from './api'

const words = {
  relations: { 'resumed from': 'resumed' },
  kinds: { data: 'Data', run: 'Run', checkpoint: 'Checkpoint', evaluation: 'Evaluation' },
}
const graph: LineageNeighbourhood = {
  nodes: [
    { id: 'a', kind: 'run', label: 'group/first', run: 'a', details: { lr: 0.1 } },
    { id: 'b', kind: 'run', label: 'second', run: 'b', details: {} },
    {
      id: 'h',
      kind: 'checkpoint',
      label: 'model.ckpt',
      run: '',
      details: { hash: `sha256:${'0'.repeat(64)}`, bytes: 2048 },
    },
    { id: 'a:checkpoint', kind: 'checkpoint', label: 'checkpoint', run: 'a', details: {} },
  ],
  edges: [
    { source: 'a', target: 'b', relation: 'resumed from' },
    { source: 'a', target: 'h', relation: 'output' },
    { source: 'b', target: 'b', relation: 'self' },
  ],
  is_truncated: false,
}

describe('the lineage graph', () => {
  it('names runs by their last part, with their folder and what tells them apart', () => {
    const { nodes } = lineageLevel(graph, 'a', words)

    expect(nodes[0]).toMatchObject({
      label: 'first',
      title: 'group/first',
      lines: ['group', 'lr: 0.1'],
      look: 'input',
    })
    expect(nodes[2]!.lines[1]).toBe('sha256:0000000000…')
    expect(nodes[3]!.label).toBe('Checkpoint')
  })

  it('says how runs follow each other, and leaves out what leads to itself', () => {
    expect(lineageLevel(graph, 'a', words).edges).toMatchObject([
      { from: 'a', to: 'b', label: 'resumed', kind: 'control' },
      { from: 'a', to: 'h', label: '' },
    ])
  })

  it('knows what is before and behind a node', () => {
    const { before, after } = neighboursIn(graph, 'a')

    expect(before).toEqual([])
    expect(after.map(({ node }) => node.id)).toEqual(['b', 'h'])
  })

  it('shortens hashes and leaves short ones', () => {
    expect(shortHash('md5:12')).toBe('md5:12')
  })
})

it('comes back from the address, without what cannot be understood', () => {
  const view = { depth: 5, node: 'artifact:sha256:1', at: null, isFull: true }
  expect(lineageGraphView.read(lineageGraphView.write(view).query)).toEqual(view)
  expect(lineageGraphView.read('depth=7&at=x')).toEqual({ depth: 2, node: null, at: null, isFull: false })
  expect(whyView.read(whyView.write({ a: 'x', b: 'y', tag: 'l&s' }).query)).toEqual({
    a: 'x',
    b: 'y',
    tag: 'l&s',
  })
})

it('begins with the tag that tells most', () => {
  expect(firstTag(['lr', 'train/acc', 'train/loss', 'val/accuracy'])).toBe('val/accuracy')
  expect(firstTag(['lr'])).toBe('lr')
  expect(firstTag([])).toBeNull()
})

it('sorts what is known of a run by what it is about', () => {
  const values = {
    'hparam/lr': 0.1,
    'user_defined/lr': 0.2,
    'hparam/net/depth': 3,
    'metric/acc': 1,
    loss: 2,
    train_dataset_count: 5,
    'code/commit': 'c',
  }
  const parts = partsOf({
    values,
    code: { commit: 'c', diff: '+', command: 'x' },
    environment: { python: '3', packages: { a: '1' }, variables: { RANK: '0' } },
    problems: [],
  })

  expect(parts.parameters.map(({ name }) => name)).toEqual(['hparam/lr', 'user_defined/lr', 'net/depth'])
  expect(parts.metrics.map(({ name }) => name)).toEqual(['acc', 'loss'])
  expect(parts.data).toEqual([{ name: 'train_dataset_count', value: 5 }])
  expect(parts.code).toEqual([{ name: 'commit', value: 'c' }])
  expect(parts.environment.map(({ name }) => name)).toEqual(['python', 'variables/RANK'])
  expect([valueText(null), valueText([1]), valueText('a')]).toEqual(['', '[1]', 'a'])
})

describe('places in a query', () => {
  it('are found behind characters that count twice here', () => {
    const query = 'run = "𠮷野" and x > 1'
    const place = placeIn(query, [...query].indexOf('x'))

    expect(query.slice(place, place + 1)).toBe('x')
    expect(placeIn('abc', 9)).toBe(3)
  })
})
