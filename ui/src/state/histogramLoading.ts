/** The histograms of one card: fetched while it is in view, anew when their runs change. */

import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort } from '@/api/client'
import { fetchHistograms, type HistogramQuery, type HistogramSeries } from '@/api/histograms'
import { noteRefusal, onChanges } from './live'

export interface HistogramLoading {
  readonly series: Readonly<ShallowRef<readonly HistogramSeries[]>>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
  retry(): void
}

export function useHistograms(query: () => HistogramQuery, isActive: () => boolean): HistogramLoading {
  const series = shallowRef<readonly HistogramSeries[]>([])
  const isLoaded = ref(false)
  const error = shallowRef<unknown>(null)
  let abort: AbortController | null = null
  let shown = '' // the query that `series` answers
  let isStale = false // its runs have changed since

  const keyOf = ({ runs, tag, maxSteps }: HistogramQuery): string => JSON.stringify([runs, tag, maxSteps])

  async function load(): Promise<void> {
    abort?.abort()
    const asked = query()
    const mine = new AbortController()
    abort = mine
    isStale = false
    try {
      const found = asked.runs.length === 0 ? [] : await fetchHistograms(asked, mine.signal)
      if (abort !== mine) return
      abort = null
      series.value = found
      shown = keyOf(asked)
      isLoaded.value = true
      error.value = null
      if (isStale && isActive()) void load()
    } catch (problem) {
      if (abort === mine) {
        abort = null
        isStale = true // out of view: to be asked again
      }
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
  }

  watch(
    [() => keyOf(query()), isActive],
    ([key, active]) => {
      if (!active) abort?.abort()
      else if (key !== shown || isStale) void load()
    },
    { immediate: true },
  )
  onChanges(({ runs }) => {
    if (runs.length > 0 && !query().runs.some((run) => runs.includes(run))) return
    isStale = true
    if (isActive() && !abort) void load()
  })
  onScopeDispose(() => abort?.abort())

  return { series, isLoaded, error, retry: () => void load() }
}
