import { afterEach, describe, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import type { ComparedQuery, Comparison, CurveQuery } from '@/api/compare'
import { EMPTY_COMPARE_VIEW, type CompareView } from './compareView'
import { curveQuery, HeadStart } from './headStart'

const fetchCurves = vi.hoisted(() => vi.fn())
vi.mock('@/api/compare', async (original) => ({ ...(await original<object>()), fetchCurves }))

const ALL: CompareView = { ...EMPTY_COMPARE_VIEW, isByRule: true, runs: [], without: ['z'], tags: ['loss'], rule: { kind: 're', texts: ['^a'] } }
const answerOf = (runs: readonly string[]): Comparison => ({ runs, curves: [], without: 0, cache: null })
const queryOf = (runs: readonly string[], part: Partial<CurveQuery> = {}): ComparedQuery => ({ ...curveQuery(ALL, 'loss'), runs, within: null, ...part })

function begun(view: CompareView): HeadStart {
  const early = effectScope().run(() => new HeadStart())!
  early.begin(view)
  return early
}

describe('a head start', () => {
  afterEach(() => fetchCurves.mockReset())

  it('asks by the rule and gives the answer once, to who wants exactly these runs', async () => {
    fetchCurves.mockResolvedValue(answerOf(['a1', 'a2']))
    const early = begun(ALL)

    expect(fetchCurves.mock.calls[0]!.slice(0, 2)).toEqual([{ rule: { pattern: '^a' }, without: ['z'] }, curveQuery(ALL, 'loss')])
    expect(await early.take(queryOf(['a1', 'a2'], { smoothing: 0.9 }))).toBeNull()
    expect((await early.take(queryOf(['a1', 'a2'])))?.runs).toEqual(['a1', 'a2'])
    expect(await early.take(queryOf(['a1', 'a2']))).toBeNull()
  })

  it('is of no use when other runs are wanted, or when it failed', async () => {
    fetchCurves.mockResolvedValueOnce(answerOf(['a1'])).mockRejectedValueOnce(new Error('lost'))

    expect(await begun(ALL).take(queryOf(['a1', 'a2']))).toBeNull()
    expect(await begun(ALL).take(queryOf(['a1']))).toBeNull()
  })

  it('lets others wait until the curves are there', async () => {
    fetchCurves.mockResolvedValue(answerOf(['a1']))
    const early = begun(ALL)

    expect(early.isOver.value).toBe(false)
    await vi.waitFor(() => expect(early.isOver.value).toBe(true))
  })

  it('is not taken where runs are given one by one, or no tag is', () => {
    for (const view of [{ ...ALL, runs: ['b'] }, { ...ALL, isByRule: false }, { ...ALL, tags: null }]) expect(begun(view).isOver.value).toBe(true)
    expect(fetchCurves).not.toHaveBeenCalled()
  })
})
