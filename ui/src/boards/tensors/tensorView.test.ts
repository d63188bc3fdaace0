import { expect, it } from 'vitest'
import { tensorView, type TensorView } from './tensorView'

const again = (view: TensorView): TensorView => {
  const { query, hash } = tensorView.write(view)
  return tensorView.read(query, hash)
}

it('leaves defaults out of the address', () => {
  expect(tensorView.write(tensorView.defaults)).toEqual({ query: '', hash: '' })
  expect(again(tensorView.defaults)).toEqual(tensorView.defaults)
})

it('comes back from its address', () => {
  const view: TensorView = {
    ...tensorView.defaults,
    runs: ['a'],
    step: 40,
    show: 'histogram',
    minus: 'previous',
    digits: 6,
    isScientific: true,
    heat: 'view',
    slices: new Map([['conv/kernel@x', '0.r.c.3']]),
  }

  expect(again(view)).toEqual(view)
  expect(again({ ...view, minus: -5 }).minus).toBe(-5)
})

it('takes what cannot be understood for its default', () => {
  expect(tensorView.read('show=x&minus=last&digits=99&heat=1&slice=<b>@t')).toEqual(tensorView.defaults)
})
