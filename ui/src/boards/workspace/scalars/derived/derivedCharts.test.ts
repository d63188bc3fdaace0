import { expect, it } from 'vitest'
import { baselineOf, derivedChart, tagOf, textOf, titleOf } from './derivedCharts'

it.each([
  ['gap = "a=b" - c', { name: 'gap', expression: '"a=b" - c' }],
  ['= a/b', { name: '', expression: 'a/b' }],
  ['a/b', { name: '', expression: 'a/b' }],
])('reads %s', (text, chart) => {
  expect(derivedChart(text)).toEqual(chart)
  expect(derivedChart(textOf(chart))).toEqual(chart)
})

it('is named by people, else by its expression', () => {
  const charts = ['gap = a-b', '= a/b']
  expect(titleOf(tagOf(derivedChart(charts[0]!)), charts)).toBe('gap')
  expect(titleOf('=a/b', charts)).toBe('a/b')
  expect(titleOf('loss', charts)).toBe('loss')
})

it('has a run as its baseline, not a group', () => {
  const view = { baseline: 'r', groupBy: '', groupPattern: '' }
  expect(baselineOf(view, '=delta(a)')).toBe('r')
  expect(baselineOf(view, 'a')).toBeUndefined()
  expect(baselineOf({ ...view, groupBy: 'optimizer' }, '=delta(a)')).toBeUndefined()
})
