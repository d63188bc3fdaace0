import { expect, it } from 'vitest'
import { EMPTY_TENSOR_VIEW, readTensorView, writeTensorView, type TensorView } from './tensorView'

const again = (view: TensorView): TensorView => {
  const { query, hash } = writeTensorView(view)
  return readTensorView(query, hash)
}

it('leaves defaults out of the address', () => {
  expect(writeTensorView(EMPTY_TENSOR_VIEW)).toEqual({ query: '', hash: '' })
  expect(again(EMPTY_TENSOR_VIEW)).toEqual(EMPTY_TENSOR_VIEW)
})

it('comes back from its address', () => {
  const view: TensorView = {
    ...EMPTY_TENSOR_VIEW, runs: ['a'], step: 40, show: 'histogram', minus: 'previous', digits: 6, isScientific: true, heat: 'view', slices: new Map([['conv/kernel@x', '0.r.c.3']]),
  }

  expect(again(view)).toEqual(view)
  expect(again({ ...view, minus: -5 }).minus).toBe(-5)
})

it('takes what cannot be understood for its default', () => {
  expect(readTensorView('show=x&minus=last&digits=99&heat=1&slice=<b>@t')).toEqual(EMPTY_TENSOR_VIEW)
})
