/** A response of the service, kept up to date: fetched when its key changes and when data does. */

import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort } from './client'
import { useLatestRequest } from './latestRequest'
import { live, notePartial, noteRefusal, onChanges } from './live'
import type { Changes } from './service'

/** The state of something that is fetched. */
export interface Loading {
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
  /** Runs that the response lacks, since they are being rebuilt. */
  readonly rebuilding: Readonly<ShallowRef<readonly string[]>>
  retry(): void
}

export interface QueryState<T> extends Loading {
  /** The newest response; the one before stays until then. */
  readonly answer: Readonly<ShallowRef<T | null>>
  readonly isLoading: Readonly<Ref<boolean>>
  /** Fetches at once; resolves when the response is here, or another request has taken its place. */
  retry(): Promise<void>
}

export interface QueryOptions<T> {
  /** What identifies the request; null: nothing is wanted at present. */
  readonly key: () => string | null
  /** `previous` is the response so far; the query's own result does not exist yet at the first call. */
  fetch(signal: AbortSignal, previous: T | null): Promise<T> | T
  /** Whether a change of data may change the response. */
  readonly concerns?: (changes: Changes) => boolean
  /** Notes, labels and saved views are part of the response. */
  readonly followsAnnotations?: boolean
  /** What is out of view fetches nothing, but remembers what it has. */
  readonly isActive?: () => boolean
  /** After the first response: sliders and typing settle before the next request. */
  readonly debounceMs?: number
  /** The first request is debounced, too. */
  readonly debouncesFirst?: boolean
  /** Least time between a response and a refetch. */
  readonly minIntervalMs?: number
  /** The same while only runs change that have changed before, for what is then much the same, such as lists of tags. */
  readonly steadyIntervalMs?: number
  /** Drops the response when the key changes, where it would be wrong beside another key. */
  readonly clears?: boolean
  /** Most changes leave the response as it is: then `answer` stays the same object. */
  readonly keepsEqual?: boolean
}

/** A slow response is refetched only after several times as long: training may log every second. */
const REFETCH_FACTOR = 4
const MIN_INTERVAL_MS = 1500

/** For `concerns`: changes of some of these runs. Empty lists of changes mean that anything may have changed. */
export const changesOf =
  (runs: () => readonly string[]) =>
  ({ runs: changed, removed }: Changes): boolean => {
    if (changed.length + removed.length === 0) return true
    const all = new Set([...changed, ...removed])
    return runs().some((run) => all.has(run))
  }

export function useQuery<T>({
  key,
  fetch,
  concerns = () => true,
  followsAnnotations = false,
  isActive = () => true,
  debounceMs = 0,
  debouncesFirst = false,
  minIntervalMs = MIN_INTERVAL_MS,
  steadyIntervalMs = minIntervalMs,
  clears = false,
  keepsEqual = false,
}: QueryOptions<T>): QueryState<T> {
  const answer = shallowRef<T | null>(null)
  const error = shallowRef<unknown>(null)
  const isLoaded = ref(false)
  const isLoading = ref(false)
  const rebuilding = shallowRef<readonly string[]>([])
  const request = useLatestRequest()
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStale = true // `answer` is not, or may not be, the response to the key
  let refetchAt = 0
  let steadyRefetchAt = 0
  let timerAt = 0
  let isUrgent = false // of what has made it stale, something does not wait for the steady interval
  let lastText = ''

  async function load(): Promise<void> {
    stop()
    if (key() === null) return
    const signal = request.start()
    const began = performance.now()
    isLoading.value = true
    isStale = isUrgent = false
    try {
      const response = await fetch(signal, answer.value)
      if (signal.aborted) return
      show(response)
      error.value = null
      rebuilding.value = notePartial(signal)
      isLoaded.value = true
    } catch (problem) {
      if (signal.aborted || isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
    isLoading.value = false
    const now = performance.now()
    const took = REFETCH_FACTOR * (now - began)
    refetchAt = now + Math.max(minIntervalMs, took)
    steadyRefetchAt = now + Math.max(steadyIntervalMs, took)
    if (isStale) refetch(!isUrgent)
  }

  function show(response: T): void {
    if (keepsEqual) {
      const text = JSON.stringify(response)
      if (answer.value !== null && text === lastText) return
      lastText = text
    }
    answer.value = response
  }

  /** A request under way is worth waiting for; the next one follows it. */
  function refetch(isSteady = false): void {
    isStale = true
    isUrgent ||= !isSteady
    const at = isSteady ? steadyRefetchAt : refetchAt
    if (isLoading.value || !isActive() || key() === null) return
    if (timer !== undefined && timerAt <= at) return
    loadIn(Math.max(0, at - performance.now()))
  }

  function loadIn(ms: number): void {
    clearTimeout(timer)
    timerAt = performance.now() + ms
    timer = setTimeout(() => void load(), ms)
  }

  function stop(): void {
    clearTimeout(timer)
    timer = undefined
    // What was under way is to be fetched again.
    if (isLoading.value) isStale = true
    request.cancel()
    isLoading.value = false
  }

  const start = (): void =>
    debounceMs > 0 && (isLoaded.value || debouncesFirst) ? loadIn(debounceMs) : void load()

  watch(key, () => {
    isStale = true
    if (clears) {
      stop()
      answer.value = error.value = null
      isLoaded.value = false
    }
    if (!isActive() || key() === null) stop()
    else start()
  })
  watch(
    isActive,
    (active) => {
      if (!active) stop()
      else if ((isStale || error.value !== null) && key() !== null) start()
    },
    { immediate: true },
  )
  onChanges((news) => {
    if (concerns(news)) refetch(news.isSteady)
  })
  if (followsAnnotations) watch(live.annotations, () => refetch())
  onScopeDispose(stop)

  return { answer, isLoaded, isLoading, error, rebuilding, retry: load }
}
