import { expect, it } from 'vitest'
import { hparamView, type HparamView } from './hparamView'

const again = (view: HparamView): HparamView => {
  const { query, hash } = hparamView.write(view)
  return hparamView.read(query, hash)
}

it('leaves defaults out of the address', () => {
  expect(hparamView.write(hparamView.defaults)).toEqual({ query: '', hash: '' })
  expect(again(hparamView.defaults)).toEqual(hparamView.defaults)
})

it('comes back from its address', () => {
  const view: HparamView = {
    tab: 'scatter',
    runs: ['a'],
    search: 'adam',
    sort: '-metric.loss',
    columns: ['hparam.lr'],
    order: ['metric.loss', 'hparam.lr'],
    brushes: new Map([
      ['hparam.lr', { kind: 'range', lo: 1e-5, hi: 0.5 }],
      ['hparam.opt', { kind: 'names', names: ['a|b', 'c@d', ''] }],
    ]),
    scales: new Map([['hparam.lr', 'quantile']]),
    colour: '',
    metric: 'min',
  }

  expect(again(view)).toEqual(view)
})

it('takes what cannot be understood for its default', () => {
  expect(hparamView.read('tab=x&metric=mean&keep=5~1@a&keep=x&keep==%25E0%25A4@b&scale=2@a')).toEqual(
    hparamView.defaults,
  )
})
