import { expect, it } from 'vitest'
import { cellLines, widthOf } from './columns'

const column = (name: string, group = 'pipeline') => ({ name, group })

it('writes the operations of a data pipeline below each other, as calls', () => {
  expect(
    cellLines(
      column('Map.operations'),
      'Resize(size=[32, 32], interpolation=LINEAR), Rescale(tensor_op_params={"rescale": 0.5, "shift": 0}), HwcToChw()',
    ),
  ).toEqual(['Resize(size=[32, 32], interpolation=LINEAR)', 'Rescale(rescale=0.5, shift=0)', 'HwcToChw()'])
  expect(cellLines(column('Map.operations'), 'Odd(tensor_op_params={"rescale": 0.5)')).toEqual([
    'Odd(tensor_op_params={"rescale": 0.5)',
  ])
})

it('writes lists and mappings without the signs of JSON, and leaves other text alone', () => {
  expect(cellLines(column('Map.input_columns'), '["image", "label"]')).toEqual(['image, label'])
  expect(cellLines(column('Batch.pad_info'), '{"a": [1, 2], "b": 3}')).toEqual(['a: [ 1, 2 ], b: 3'])
  expect(cellLines(column('Map.name'), '[not JSON')).toEqual(['[not JSON'])
  expect(cellLines(column('hparam/list', 'hparam'), '["a"]')).toEqual(['["a"]'])
  expect(cellLines(column('Batch.batch_size'), 32)).toEqual(['32'])
})

it('gives Chinese headings the room that they take', () => {
  const facts = { name: 'x', type: 'int' as const }
  const width = (label: string): number => widthOf({ ...facts, label } as Parameters<typeof widthOf>[0])

  expect(width('训练样本数量')).toBeGreaterThan(width('samples'))
})
