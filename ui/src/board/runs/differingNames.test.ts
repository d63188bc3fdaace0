import { describe, expect, it } from 'vitest'
import { differingNames } from './differingNames'

const leads = (...names: readonly string[]): readonly string[] => {
  const short = differingNames(names)
  return names.map((name) => short.get(name)!.lead)
}

describe('differingNames', () => {
  it.each([
    ['parts that all share', ['exp/adam-lr0.1-seed1', 'exp/sgd-lr0.1-seed1'], ['adam', 'sgd']],
    ['shared parts in the middle', ['a-hidden64-1', 'b-hidden64-2'], ['a-1', 'b-2']],
    ['numbers that only look like several parts', ['lr0.01', 'lr0.001'], ['lr0.01', 'lr0.001']],
    ['exponents', ['x-lr1e-4-s1', 'x-lr1e-5-s1'], ['lr1e-4', 'lr1e-5']],
    [
      'parts that all share, wherever they stand',
      ['tensorboard/adam-lr0.1-seed1', 'visualdl/v2/sgd-lr0.1-seed1'],
      ['adam', 'sgd'],
    ],
    [
      'long parts by letters and digits',
      ['experiment20adam64seed1', 'experiment20sgd64seed1'],
      ['adam', 'sgd'],
    ],
    ['all but the word before a number', ['exp/run-1', 'exp/run-2'], ['run-1', 'run-2']],
    ['folders', ['mnist/train', 'mnist/eval'], ['train', 'eval']],
  ])('leaves out %s', (_, names, short) => {
    expect(leads(...names)).toEqual(short)
  })

  it('keeps the last part of the path of a run that is alone', () => {
    expect(differingNames(['exp/2024/run-7']).get('exp/2024/run-7')).toEqual({
      lead: 'run-7',
      rest: 'exp/2024',
    })
    expect(leads('.')).toEqual(['.'])
  })

  it('puts folders that differ behind what they hold, unless they are needed to tell runs apart', () => {
    const names = ['tb/adam-seed1', 'vdl/sgd-seed2']
    expect(differingNames(names).get(names[0]!)).toEqual({ lead: 'adam-seed1', rest: 'tb' })
    expect(leads('tb/adam', 'vdl/adam', 'vdl/sgd')).toEqual(['tb/adam', 'vdl/adam', 'vdl/sgd'])
  })

  it('says what was left out', () => {
    expect(
      differingNames(['exp/adam-lr0.1-seed1', 'exp/sgd-lr0.1-seed1']).get('exp/adam-lr0.1-seed1')!.rest,
    ).toBe('exp/…-lr0.1-seed1')
  })

  it.each([
    ['a run is the beginning of another', ['run', 'run-2', 'run-2/eval']],
    ['only the order of parts differs', ['a-b', 'b-a', 'a/b']],
    ['only signs differ', ['a-b', 'a_b', 'a.b']],
    ['parts are repeated', ['1-2', '2-2', '2-2-2']],
    ['a name is a short name of another', ['x/1/y', 'x/2/y', '1', '2']],
    ['names are nothing but signs', ['.', '..', '-', '']],
    ['only the case differs', ['Run', 'run']],
  ])('is never ambiguous: %s', (_, names) => {
    expect(new Set(leads(...names)).size).toBe(names.length)
  })

  it('is never ambiguous: any names of few parts', () => {
    let seed = 7
    const next = (most: number): number => (seed = (seed * 1103515245 + 12345) % 2147483648) % most
    for (let round = 0; round < 2000; round++) {
      const names = Array.from({ length: 2 + next(5) }, () =>
        Array.from(
          { length: 1 + next(4) },
          () => ['a', 'b', '1', 'seed1'][next(4)]! + ['/', '-', '_', ''][next(4)]!,
        ).join(''),
      )
      const distinct = [...new Set(names)]
      expect(new Set(leads(...distinct)).size, distinct.join(' ')).toBe(distinct.length)
    }
  })

  it('names thousands of runs at once', () => {
    const names = Array.from({ length: 20_000 }, (_, i) => `sweep/lr${i % 7}/hidden64/run-${i}`)
    expect(differingNames(names).get(names[12]!)!.lead).toBe('lr5/12')
  })
})

it('says no word twice', () => {
  const names = differingNames(['run_00000', 'run_00001'])

  expect(names.get('run_00001')).toEqual({ lead: 'run_00001', rest: '' })
})
