import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { matchOf, usePatternMatches, type Match } from './patternMatching'

const NAMES = ['loss', 'loss/train', 'eval/loss', 'Loss', 'a.b', 'axb']

describe('a pattern', () => {
  it.each<[string, Match]>([
    ['loss', ['loss', 'loss/train']],
    ['.*loss', ['loss', 'loss/train', 'eval/loss']],
    ['loss$', ['loss']],
    ['loss\\Z', ['loss']],
    ['a.b', ['a.b', 'axb']],
    ['a\\.b', ['a.b']],
    ['(?i)loss$', ['loss', 'Loss']],
    ['(?P<word>loss)/(train|test)', ['loss/train']],
    ['none', []],
    ['(', 'invalid'],
    ['*', 'invalid'],
  ])('%s matches from the beginning, as in Python', (pattern, match) =>
    expect(matchOf(pattern, NAMES)).toEqual(match),
  )
})

describe('patterns of layouts', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('that take too long are given up, the others are tried', () => {
    let ended = 0
    class SlowWorker {
      onmessage: ((event: { data: Match }) => void) | null = null
      onerror = null
      postMessage({ pattern, names }: { pattern: string; names: readonly string[] }): void {
        if (pattern !== '(a+)+$') setTimeout(() => this.onmessage?.({ data: matchOf(pattern, names) }), 1)
      }
      terminate(): void {
        ended++
      }
    }
    vi.stubGlobal('Worker', SlowWorker)
    const scope = effectScope()
    const matches = scope.run(() =>
      usePatternMatches(
        () => ['loss', '(a+)+$', 'eval/.*'],
        () => NAMES,
      ),
    )!

    expect(matches.value.get('loss')).toEqual(['loss', 'loss/train'])
    vi.advanceTimersByTime(5000)

    expect(matches.value.get('(a+)+$')).toBe('slow')
    expect(matches.value.get('eval/.*')).toEqual(['eval/loss'])
    scope.stop()
    expect(ended).toBe(2)
  })
})
