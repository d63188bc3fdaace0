import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { effectScope, nextTick, ref, type EffectScope } from 'vue'
import { useItems } from './items'
import { noteMissing } from './client'
import type { Changes } from './service'

let announce: (changes: Changes) => void
vi.mock('./live', async () => ({
  noteRefusal: vi.fn(),
  notePartial: (await import('./client')).rebuildingIn,
  onChanges: (listener: typeof announce) => (announce = listener),
}))

/** Answers that come when the test says so. */
function service() {
  const calls: {
    tag: string
    signal: AbortSignal
    answer(found: readonly string[]): void
    fail(error: unknown): void
  }[] = []
  const fetch = ({ tag }: { runs: readonly string[]; tag: string }, signal: AbortSignal) =>
    new Promise<readonly string[]>((answer, fail) => calls.push({ tag, signal, answer, fail }))
  return { calls, fetch }
}

const settle = async (): Promise<void> => {
  await nextTick()
  await vi.advanceTimersByTimeAsync(0)
}

let scope: EffectScope
beforeEach(() => {
  vi.useFakeTimers()
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

function card() {
  const { calls, fetch } = service()
  const tag = ref('loss')
  const isActive = ref(false)
  const items = scope.run(() =>
    useItems(
      fetch,
      () => ({ runs: ['a'], tag: tag.value }),
      () => isActive.value,
    ),
  )!
  return { calls, tag, isActive, items }
}

describe('the items of a card', () => {
  it('are fetched only while it is in view', async () => {
    const { calls, isActive, items } = card()
    await settle()
    expect(calls).toHaveLength(0)

    isActive.value = true
    await settle()
    expect(calls).toHaveLength(1)
    isActive.value = false
    await settle()
    expect(calls[0]!.signal.aborted).toBe(true)

    isActive.value = true
    await settle()
    calls[1]!.answer(['x'])
    await settle()
    expect(items.series.value).toEqual(['x'])
    isActive.value = false
    await settle()
    isActive.value = true
    await settle()
    expect(calls).toHaveLength(2)
  })

  it('are fetched anew for another query, the old ones staying meanwhile', async () => {
    const { calls, tag, isActive, items } = card()
    isActive.value = true
    await settle()
    calls[0]!.answer(['old'])
    await settle()

    tag.value = 'accuracy'
    await settle()
    expect(items.series.value).toEqual(['old'])
    calls[1]!.answer(['new'])
    await settle()
    expect(calls[1]!.tag).toBe('accuracy')
    expect(items.series.value).toEqual(['new'])
  })

  it('follow their runs, and rest after slow answers', async () => {
    const { calls, isActive } = card()
    isActive.value = true
    await settle()
    await vi.advanceTimersByTimeAsync(1000)
    calls[0]!.answer([])
    await settle()

    announce({ cursor: 1, runs: ['other'], removed: [], annotations: 0 })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(calls).toHaveLength(1)

    calls.length = 0
    announce({ cursor: 2, runs: ['a'], removed: [], annotations: 0 })
    await settle()
    expect(calls).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(1000)
    calls[0]!.answer([])
    await settle()
    announce({ cursor: 3, runs: ['a'], removed: [], annotations: 0 })
    await vi.advanceTimersByTimeAsync(3900)
    expect(calls).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(200)
    expect(calls).toHaveLength(2)
  })

  it('say what failed and can be asked for again', async () => {
    const { calls, isActive, items } = card()
    isActive.value = true
    await settle()
    calls[0]!.fail(new Error('no'))
    await settle()
    expect(items.error.value).toEqual(new Error('no'))
    expect(items.isLoaded.value).toBe(false)

    items.retry()
    calls[1]!.answer(['x'])
    await settle()
    expect(items.error.value).toBe(null)
    expect(items.series.value).toEqual(['x'])
  })

  it('tell which runs are missing until an answer has them', async () => {
    const { calls, isActive, items } = card()
    isActive.value = true
    await settle()

    noteMissing(calls[0]!.signal, ['b'])
    calls[0]!.answer(['of a'])
    await settle()
    expect(items.series.value).toEqual(['of a'])
    expect(items.rebuilding.value).toEqual(['b'])

    announce({ cursor: 1, runs: [], removed: [], annotations: 0 })
    await vi.advanceTimersByTimeAsync(10)
    calls[1]!.answer(['of a', 'of b'])
    await settle()
    expect(items.rebuilding.value).toEqual([])
  })
})
