import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope, ref, type EffectScope } from 'vue'
import type { News } from './live'
import { useQuery } from './query'

let announce: (news: News) => void
vi.mock('./live', () => ({
  live: { annotations: ref(0) },
  notePartial: () => [],
  noteRefusal: () => undefined,
  onChanges: (listener: typeof announce) => (announce = listener),
}))

const news = (isSteady: boolean): News => ({ cursor: 1, runs: ['a'], removed: [], annotations: 0, isSteady })

let scope: EffectScope
beforeEach(() => {
  vi.useFakeTimers()
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

/** How often a query has fetched. */
async function counting(): Promise<() => number> {
  const fetch = vi.fn(() => Promise.resolve(1))
  scope.run(() => useQuery({ key: () => 'key', fetch, minIntervalMs: 1000, steadyIntervalMs: 20_000 }))
  await vi.advanceTimersByTimeAsync(0)
  return () => fetch.mock.calls.length
}

it('refetches rarely while the same runs go on logging', async () => {
  const count = await counting()

  for (let second = 0; second < 19; second++) {
    announce(news(true))
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(count()).toBe(1)

  await vi.advanceTimersByTimeAsync(1500)
  expect(count()).toBe(2)
})

it('does not let a new run wait for that', async () => {
  const count = await counting()

  announce(news(true))
  announce(news(false))
  await vi.advanceTimersByTimeAsync(1100)

  expect(count()).toBe(2)
})
