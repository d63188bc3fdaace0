/** The pictures of one tag in several runs, kept up to date while somebody looks. */

import { onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchPictures, type PictureKind, type PictureSeries } from '@/api/pictures'
import { noteRefusal, onChanges } from './live'

export interface PictureQuery {
  readonly kinds: readonly PictureKind[]
  readonly runs: readonly string[]
  readonly tag: string
}

export interface Pictures {
  readonly series: Readonly<Ref<readonly PictureSeries[]>>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

/** A list that took long to get is asked for again only after several times as long: training may log every second. */
const REST = 4

export function usePictures(query: () => PictureQuery, isActive: () => boolean): Pictures {
  const series = shallowRef<readonly PictureSeries[]>([])
  const isLoaded = ref(false)
  const error = shallowRef<unknown>(null)
  let abort: AbortController | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isStale = true
  let restsUntil = 0

  async function load(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    abort?.abort()
    const mine = new AbortController()
    abort = mine
    isStale = false
    const { kinds, runs, tag } = query()
    const began = performance.now()
    try {
      const found = await Promise.all(kinds.map((kind) => fetchPictures(kind, runs, tag, mine.signal)))
      if (mine.signal.aborted) return
      series.value = found.flat()
      isLoaded.value = true
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    } finally {
      if (abort === mine) abort = null
    }
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
  }

  watch(() => JSON.stringify([query().kinds, query().runs, query().tag]), () => {
    isStale = true
    if (isActive()) void load()
  })
  watch(isActive, (active) => {
    if (!active) stop()
    else if (isStale) void load()
  }, { immediate: true })
  onChanges(({ runs }) => {
    if (runs.length === 0 || query().runs.some((run) => runs.includes(run))) again()
  })
  onScopeDispose(stop)

  return { series, isLoaded, error, retry: () => void load() }
}
