/** Slices by name in all recordings on the timeline, one recording after the other, each in order of time. */

import {
  computed,
  onScopeDispose,
  ref,
  shallowRef,
  watch,
  type ComputedRef,
  type Ref,
  type ShallowRef,
} from 'vue'
import { isAbort } from '@/base/api/client'
import { useLatestRequest } from '@/base/api/latestRequest'
import { noteRefusal } from '@/base/api/live'
import type { SearchAnswer, SliceEntry } from './responses'
import { answerOf } from '@/boards/profiler/shared/analysisRequests'
import type { Source } from './tiles/traceSource'

export interface Search {
  /** Null as long as nothing is looked for, or the answer is not here. */
  readonly total: ComputedRef<number | null>
  /** The one that was gone to, counted from 0; -1 for none. */
  readonly at: Readonly<Ref<number>>
  readonly densities: Readonly<ShallowRef<readonly (readonly number[])[]>>
  /** The next one, or the one before, around both ends. */
  step(by: number): Promise<{ readonly source: number; readonly slice: SliceEntry } | null>
}

const TYPING_MS = 200
const PAGE = 200

export function useSearch(query: () => string, sources: () => readonly (Source | null)[]): Search {
  const totals = shallowRef<readonly number[] | null>(null)
  const densities = shallowRef<readonly (readonly number[])[]>([])
  const at = ref(-1)
  let pages = new Map<string, Promise<SearchAnswer>>()
  const request = useLatestRequest()
  let signal = request.start()
  let timer: ReturnType<typeof setTimeout> | undefined

  function page(source: Source, number: number): Promise<SearchAnswer> {
    const key = `${source.profile.id} ${number}`
    const response =
      pages.get(key) ??
      answerOf(
        source.profile.id,
        'timeline/search',
        { q: query(), offset: number * PAGE, limit: PAGE },
        signal,
      )
    pages.set(key, response)
    return response
  }

  async function start(): Promise<void> {
    const own = signal
    try {
      const firstPages = await Promise.all(sources().map((source) => (source ? page(source, 0) : null)))
      if (own.aborted) return
      totals.value = firstPages.map((answer) => answer?.total ?? 0)
      densities.value = firstPages.map((answer) => answer?.density ?? [])
    } catch (error) {
      if (!isAbort(error)) noteRefusal(error)
    }
  }

  watch(
    () =>
      [
        query().trim(),
        sources()
          .map((source) => source?.profile.id ?? '')
          .join(),
      ].join('\n'),
    () => {
      signal = request.start()
      pages = new Map()
      at.value = -1
      clearTimeout(timer)
      if (query().trim()) timer = setTimeout(() => void start(), TYPING_MS)
      else {
        totals.value = null
        densities.value = []
      }
    },
    { immediate: true },
  )
  onScopeDispose(() => clearTimeout(timer))

  const total = computed(() => totals.value?.reduce((sum, each) => sum + each, 0) ?? null)
  return {
    total,
    at,
    densities,
    async step(by) {
      if (!totals.value || !total.value) return null
      at.value = at.value < 0 && by < 0 ? total.value - 1 : (at.value + by + total.value) % total.value
      let place = at.value
      let source = 0
      while (place >= totals.value[source]!) place -= totals.value[source++]!
      const recording = sources()[source]
      const slice = recording
        ? (await page(recording, Math.floor(place / PAGE))).rows[place % PAGE]
        : undefined
      return slice ? { source, slice } : null
    },
  }
}
