import { afterEach, describe, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { scalarView, type ScalarView } from '@/boards/workspace/scalars/scalarView'
import type { ComparedQuery, Comparison, CurveQuery } from './api'
import { curveQuery, CurvePrefetch } from './prefetch'

const fetchCurves = vi.hoisted(() => vi.fn())
vi.mock('./api', async (original) => ({ ...(await original<object>()), fetchCurves }))

const ALL: ScalarView = {
  ...scalarView.defaults,
  isByRule: true,
  runs: [],
  without: ['z'],
  tags: ['loss'],
  rule: { kind: 're', texts: ['^a'] },
}
const HOW = { isBand: true, withSuperseded: false }
const answerOf = (runs: readonly string[]): Comparison => ({
  runs,
  curves: [],
  without: 0,
  superseded: 0,
  isByTime: false,
  cache: null,
})
const queryOf = (runs: readonly string[], part: Partial<CurveQuery> = {}): ComparedQuery => ({
  ...curveQuery(ALL, 'loss', HOW),
  runs,
  within: null,
  ...part,
})

function begun(view: ScalarView): CurvePrefetch {
  const early = effectScope().run(() => new CurvePrefetch())!
  early.begin(view)
  return early
}

describe('a head start', () => {
  afterEach(() => fetchCurves.mockReset())

  it('asks by the rule and gives the answer once, to who wants exactly these runs', async () => {
    fetchCurves.mockResolvedValue(answerOf(['a1', 'a2']))
    const early = begun(ALL)

    expect(fetchCurves.mock.calls[0]!.slice(0, 2)).toEqual([
      { rule: { pattern: '^a' }, without: ['z'] },
      curveQuery(ALL, 'loss', HOW),
    ])
    expect(await early.take(queryOf(['a1', 'a2'], { smoothing: 0.9 }))).toBeNull()
    expect((await early.take(queryOf(['a1', 'a2'])))?.runs).toEqual(['a1', 'a2'])
    expect(await early.take(queryOf(['a1', 'a2']))).toBeNull()
  })

  it('is of no use when other runs are wanted, or when it failed', async () => {
    fetchCurves.mockResolvedValueOnce(answerOf(['a1'])).mockRejectedValueOnce(new Error('lost'))

    expect(await begun(ALL).take(queryOf(['a1', 'a2']))).toBeNull()
    expect(await begun(ALL).take(queryOf(['a1']))).toBeNull()
  })

  it('is of use when a rule finds runs without the tag besides', async () => {
    fetchCurves.mockResolvedValueOnce({ ...answerOf(['a0', 'a1']), without: 1 })

    expect(await begun(ALL).take(queryOf(['a1']))).toMatchObject({ runs: ['a1'], without: 0 })
  })

  it('lets others wait until the curves are there', async () => {
    fetchCurves.mockResolvedValue(answerOf(['a1']))
    const early = begun(ALL)

    expect(early.isOver.value).toBe(false)
    await vi.waitFor(() => expect(early.isOver.value).toBe(true))
  })

  it('is not taken where runs are given one by one, or no tag is', () => {
    for (const view of [
      { ...ALL, runs: ['b'] },
      { ...ALL, isByRule: false },
      { ...ALL, tags: null },
    ])
      expect(begun(view).isOver.value).toBe(true)
    expect(fetchCurves).not.toHaveBeenCalled()
  })
})
