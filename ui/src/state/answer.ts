/** An answer of the service that is kept up to date: asked for when the question changes and when data does. */

import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort } from '@/api/client'
import type { Changes } from '@/api/service'
import { noteRefusal, onChanges } from './live'

export interface Answer<T> {
  /** The newest there is; what came before stays until the next one is here. */
  readonly answer: Readonly<ShallowRef<T | null>>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly isLoading: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
  retry(): void
}

export interface Question<T> {
  /** What is asked; null: nothing at present. */
  readonly key: () => string | null
  ask(signal: AbortSignal): Promise<T>
  /** Whether a change of data may change the answer. */
  readonly concerns?: (changes: Changes) => boolean
  /** Sliders and typing settle first. */
  readonly settleMs?: number
}

/** An answer that took long is asked for again only after several times as long: training may log every second. */
const REST = 4
const LEAST_REST_MS = 1500

export function useAnswer<T>({ key, ask, concerns = () => true, settleMs = 0 }: Question<T>): Answer<T> {
  const answer = shallowRef<T | null>(null)
  const error = shallowRef<unknown>(null)
  const isLoaded = ref(false)
  const isLoading = ref(false)
  let abort: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isWaiting = false
  let restsUntil = 0

  async function load(): Promise<void> {
    clearTimeout(timer)
    isWaiting = false
    abort?.abort()
    if (key() === null) {
      isLoading.value = false
      return
    }
    const mine = (abort = new AbortController())
    const began = performance.now()
    isLoading.value = true
    try {
      const found = await ask(mine.signal)
      if (mine.signal.aborted) return
      answer.value = found
      error.value = null
      isLoaded.value = true
    } catch (problem) {
      if (mine.signal.aborted || isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
    isLoading.value = false
    const now = performance.now()
    restsUntil = now + Math.max(LEAST_REST_MS, REST * (now - began))
  }

  function loadIn(ms: number): void {
    clearTimeout(timer)
    isWaiting = true
    timer = setTimeout(() => void load(), ms)
  }

  watch(key, () => (settleMs > 0 && isLoaded.value ? loadIn(settleMs) : void load()), { immediate: true })
  onChanges((changes) => {
    if (!isWaiting && key() !== null && concerns(changes)) loadIn(Math.max(0, restsUntil - performance.now()))
  })
  onScopeDispose(() => {
    clearTimeout(timer)
    abort?.abort()
  })

  return { answer, isLoaded, isLoading, error, retry: () => void load() }
}
