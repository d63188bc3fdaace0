/** The series of one card: fetched while it is in view, anew when their runs change. */

import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort } from '@/api/client'
import { noteRefusal, onChanges } from './live'

export interface ItemQuery {
  readonly runs: readonly string[]
}

/** How far a card is with loading. */
export interface Loading {
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
  retry(): void
}

export interface Items<S> extends Loading {
  /** Whether an answer is awaited. */
  readonly isLoading: Readonly<Ref<boolean>>
  readonly series: Readonly<ShallowRef<readonly S[]>>
}

/** An answer that took long is asked for again only after several times as long: training may log every second. */
const REST = 4

/** `query` says what is wanted, as plain data; what is shown stays until the next answer is there. */
export function useItems<Q extends ItemQuery, S>(
  fetch: (query: Q, signal: AbortSignal) => Promise<readonly S[]>, query: () => Q, isActive: () => boolean,
): Items<S> {
  const series = shallowRef<readonly S[]>([])
  const isLoaded = ref(false)
  const error = shallowRef<unknown>(null)
  const isLoading = ref(false)
  let abort: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStale = true // what is shown is not, or may not be, the answer to the query
  let restsUntil = 0

  async function load(): Promise<void> {
    stop()
    const mine = new AbortController()
    abort = mine
    isLoading.value = true
    isStale = false
    const asked = query()
    const began = performance.now()
    try {
      const found = asked.runs.length === 0 ? [] : await fetch(asked, mine.signal)
      if (mine.signal.aborted) return
      series.value = found
      isLoaded.value = true
      error.value = null
    } catch (problem) {
      if (mine.signal.aborted || isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
    abort = null
    isLoading.value = false
    const now = performance.now()
    restsUntil = now + REST * (now - began)
    if (isStale) again()
  }

  function again(): void {
    isStale = true
    if (abort || timer !== undefined || !isActive()) return
    timer = setTimeout(() => void load(), Math.max(0, restsUntil - performance.now()))
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
    // What was under way is to be asked for again.
    if (abort) isStale = true
    abort?.abort()
    abort = null
    isLoading.value = false
  }

  watch(() => JSON.stringify(query()), () => {
    isStale = true
    if (isActive()) void load()
  })
  watch(isActive, (active) => {
    if (!active) stop()
    else if (isStale || error.value !== null) void load()
  }, { immediate: true })
  onChanges(({ runs }) => {
    if (runs.length === 0 || query().runs.some((run) => runs.includes(run))) again()
  })
  onScopeDispose(stop)

  return { series, isLoaded, isLoading, error, retry: () => void load() }
}
