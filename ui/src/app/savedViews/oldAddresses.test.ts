import { describe, expect, it } from 'vitest'
import { homeView } from '@/boards/workspace/runs/homeView'
import { presentAddress } from './oldAddresses'

const viewAt = (address: string) => {
  const [, path, query = '', hash = ''] = /^([^?#]*)\??([^#]*)#?(.*)$/.exec(presentAddress(address))!
  expect(path).toBe('/runs')
  return homeView.read(query, hash)
}

describe('old addresses', () => {
  it('open the column sets that took their place', () => {
    expect(viewAt('/lineage/models')).toEqual({ ...homeView.defaults, set: 'models', layout: 'table' })
    expect(viewAt('/lineage/data')).toEqual({ ...homeView.defaults, set: 'data', layout: 'table' })
    expect(viewAt('/hparams')).toEqual({ ...homeView.defaults, set: 'hparams', layout: 'table' })
    expect(presentAddress('/scalars?run=a')).toBe('/scalars?run=a')
  })

  it('keep query, selection, columns, order, filters, and importance of the lineage tables', () => {
    const view = viewAt(
      '/lineage/models?q=lr+%3E+0&run=a&run=b&sort=-hparam/lr&col=hparam/lr&col=note&keep=0.05~0.08@hparam/lr' +
        '&keep=%3Dadam@optimizer&scale=log@hparam/lr&target=metric/acc&tab=parallel&all=1&lang=zh',
    )
    expect(view).toEqual({
      ...homeView.defaults,
      set: 'models',
      layout: 'table',
      query: 'lr > 0',
      runs: ['a', 'b'],
      sort: '-hparam/lr',
      columns: ['hparam/lr', 'note'],
      brushes: new Map([
        ['hparam/lr', { kind: 'range', lo: 0.05, hi: 0.08 }],
        ['optimizer', { kind: 'names', names: ['adam'] }],
      ]),
      scales: new Map([['hparam/lr', 'log']]),
      target: 'metric/acc',
      tab: 'parallel',
    })
    expect(presentAddress('/lineage/models?lang=zh')).toContain('lang=zh')
    expect(viewAt('/lineage/models?sort=-name').sort).toBe('-run')
  })

  it('show runs, not pipelines, where somebody had set anything of data processing', () => {
    expect(viewAt('/lineage/data?col=Batch.batch_size')).toMatchObject({
      set: 'data',
      group: [],
      columns: ['Batch.batch_size'],
    })
    expect(viewAt('/lineage/data?lang=zh').group).toBeNull()
  })

  it('translate the columns of hyperparameters, metrics by the value that was selected', () => {
    const view = viewAt(
      '/hparams?sort=-metric.acc&metric=max&col=hparam.lr&col=metric.acc&col=status&axis=metric.acc' +
        '&keep=0.1~1@hparam.lr&colour=hparam.lr&q=adam&tab=scatter',
    )
    expect(view).toMatchObject({
      set: 'hparams',
      sort: '-scalar/acc/max',
      columns: ['hparam/lr', 'scalar/acc/max', 'state'],
      order: ['scalar/acc/max'],
      brushes: new Map([['hparam/lr', { kind: 'range', lo: 0.1, hi: 1 }]]),
      colour: 'hparam/lr',
      query: 'adam',
      tab: 'scatter',
    })
    expect(viewAt('/hparams?col=none&colour=')).toMatchObject({ columns: [], colour: '' })
  })

  it('select the run of the page of one run', () => {
    expect(viewAt('/runs/a%2Fb/hparams')).toMatchObject({ set: 'hparams', runs: ['a/b'] })
  })

  it('stay behind the hash where they are long', () => {
    const runs = Array.from({ length: 400 }, (_, at) => `run=${at}aaaaaaaa`).join('&')
    const address = presentAddress(`/lineage/models#${runs}`)
    expect(address.startsWith('/runs#set=models')).toBe(true)
    expect(viewAt(`/lineage/models#${runs}`).runs).toHaveLength(400)
  })
})
