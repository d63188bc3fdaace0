import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'
import type { Changes } from '@/base/api/service'
import { useRunInfo } from './runInfo'

let announce: (changes: Changes) => void
vi.mock('@/base/api/live', async () => ({
  live: { annotations: (await import('vue')).ref(0) },
  noteRefusal: vi.fn(),
  notePartial: () => [],
  onChanges: (listener: typeof announce) => (announce = listener),
}))

const fetchRunsById = vi.hoisted(() => vi.fn())
vi.mock('./api', () => ({ fetchRunsById }))

let scope: EffectScope
beforeEach(() => {
  scope = effectScope()
  fetchRunsById.mockImplementation(async (ids: readonly string[]) =>
    ids.filter((id) => id !== 'gone').map((id) => ({ id })),
  )
})
afterEach(() => {
  scope.stop()
  fetchRunsById.mockReset()
})

const settle = async (): Promise<void> => {
  await nextTick()
  await new Promise((resolve) => setTimeout(resolve, 5))
}

it('looks up runs that are known from the start', async () => {
  const info = scope.run(() => useRunInfo(() => ['a', 'gone']))!
  await settle()

  expect(info.error.value).toBeNull()
  expect([...info.runs.value.keys()]).toEqual(['a'])
  expect(info.isComplete.value).toBe(true)
})

it('fetches only runs that are new or have changed', async () => {
  const ids = ref(['a'])
  scope.run(() => useRunInfo(() => ids.value))
  await settle()
  ids.value = ['a', 'b']
  await settle()
  announce({ runs: ['a'], removed: [] } as unknown as Changes)
  await settle()

  expect(fetchRunsById.mock.calls.map(([asked]) => asked)).toEqual([['a'], ['b'], ['a']])
})
