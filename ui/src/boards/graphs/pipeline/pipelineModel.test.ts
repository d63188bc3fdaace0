import { expect, test } from 'vitest'
import type { PipelineOperator } from './api'
import { pipelineModel, TRAINING } from './pipelineModel'

const operator = (name: string, more: Partial<PipelineOperator> = {}): PipelineOperator => ({
  operator: name,
  name,
  parameters: [],
  sampler: null,
  operations: [],
  children: [],
  ...more,
})

const ROOT = operator('Batch', {
  parameters: [
    { name: 'num_parallel_workers', value: 8 },
    { name: 'drop_remainder', value: true },
    { name: 'batch_size', value: 32 },
  ],
  children: [
    operator('Map', {
      operations: [
        operator('Decode'),
        operator('Resize', { parameters: [{ name: 'size', value: [224, 224] }] }),
      ],
      children: [
        operator('ImageFolder', {
          sampler: operator('RandomSampler', { sampler: operator('SubsetSampler') }),
        }),
      ],
    }),
    operator('Mnist'),
  ],
})

test('data flows from the sources to the training', () => {
  const { levels, operators } = pipelineModel(ROOT, 'training')
  const named = (name: string): string => operators.get(name)?.operator.name ?? name

  expect(levels.get('')!.edges.map(({ from, to }) => [named(from), named(to)])).toEqual([
    ['Batch', TRAINING],
    ['Map', 'Batch'],
    ['Mnist', 'Batch'],
    ['ImageFolder', 'Map'],
  ])
  expect(
    [...operators.values()]
      .filter(({ role }) => role === 'source')
      .map(({ operator: { name } }) => name)
      .sort(),
  ).toEqual(['ImageFolder', 'Mnist'])
})

test('augmentations and samplers stand inside of what uses them', () => {
  const { levels, operators } = pipelineModel(ROOT, 'training')
  const inside = (name: string): string[] => {
    const [id] = [...operators].find(([, { operator: own }]) => own.name === name)!
    return levels.get(id)!.nodes.map(({ label }) => label)
  }

  expect(inside('Map')).toEqual(['Decode', 'Resize'])
  expect(inside('ImageFolder')).toEqual(['RandomSampler'])
  expect(inside('RandomSampler')).toEqual(['SubsetSampler'])
})

test('the parameters that matter are written on the node', () => {
  const { levels } = pipelineModel(ROOT, 'training')

  expect(levels.get('')!.nodes.find(({ label }) => label === 'Batch')!.lines).toEqual([
    'batch_size: 32',
    'drop_remainder: true',
  ])
})

test('a chain of thousands of operators is no problem', () => {
  let root = operator('Source')
  for (let i = 0; i < 5000; i++) root = operator('Repeat', { children: [root] })

  expect(pipelineModel(root, 'training').levels.get('')!.nodes).toHaveLength(5002)
})
