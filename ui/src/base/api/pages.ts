/** A list of the service of which only the pages in view are fetched. */

import { computed, shallowRef, type ComputedRef, type Ref, type ShallowRef } from 'vue'
import { isAbort } from './client'
import { useLatestRequest } from './latestRequest'
import { noteRefusal } from './live'
import { useQuery, type QueryOptions } from './query'

export interface Pages<P, R> {
  /** One of the pages: its total, and what else comes with it. */
  readonly page: ComputedRef<P | null>
  /** All pages that are here, in order. */
  readonly pages: ComputedRef<readonly P[]>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly isLoading: Readonly<Ref<boolean>>
  readonly error: ComputedRef<unknown>
  /** Runs that the pages in view lack, since they are being rebuilt. */
  readonly rebuilding: Readonly<ShallowRef<readonly string[]>>
  at(index: number): R | undefined
  /** Tells which rows are in view. */
  look(from: number, to: number): void
  retry(): void
}

export interface PagesOptions<P, R> extends Omit<QueryOptions<P>, 'fetch'> {
  fetch(offset: number, limit: number, signal: AbortSignal): Promise<P>
  readonly rows: (page: P) => readonly R[]
}

const PAGE = 100

/** Rows stay until those of the next key are here; changes refetch the pages in view and drop the others. */
export function usePages<P, R>({ fetch, rows, ...options }: PagesOptions<P, R>): Pages<P, R> {
  let view: readonly [number, number] = [0, 0]
  let lastKey: string | null = null
  const scrolled = shallowRef<ReadonlyMap<number, P>>(new Map())
  const scrollError = shallowRef<unknown>(null)
  const pending = new Set<number>()
  const request = useLatestRequest()
  let signal = request.start()

  const pagesInView = (): readonly number[] => {
    const first = Math.floor(view[0] / PAGE)
    const last = Math.floor(Math.max(view[0], view[1] - 1) / PAGE)
    return Array.from({ length: last - first + 1 }, (_, i) => first + i)
  }

  const query = useQuery<ReadonlyMap<number, P>>({
    ...options,
    async fetch(newer) {
      if (options.key() !== lastKey) view = [0, 0]
      const entries = await Promise.all(
        pagesInView().map(async (page) => [page, await fetch(page * PAGE, PAGE, newer)] as const),
      )
      if (newer.aborted) return new Map()
      lastKey = options.key()
      signal = request.start()
      pending.clear()
      scrolled.value = new Map()
      scrollError.value = null
      return new Map(entries)
    },
  })
  const pageAt = (page: number): P | undefined => scrolled.value.get(page) ?? query.answer.value?.get(page)

  async function fetchPage(page: number): Promise<void> {
    const own = signal
    pending.add(page)
    try {
      const response = await fetch(page * PAGE, PAGE, own)
      if (own.aborted) return
      scrolled.value = new Map(scrolled.value).set(page, response)
      scrollError.value = null
    } catch (error) {
      if (own.aborted || isAbort(error)) return
      noteRefusal(error)
      scrollError.value = error
    }
    pending.delete(page)
  }

  return {
    page: computed(() => query.answer.value?.values().next().value ?? null),
    pages: computed(() => {
      const all = new Map([...(query.answer.value ?? []), ...scrolled.value])
      return [...all].sort(([a], [b]) => a - b).map(([, page]) => page)
    }),
    isLoaded: query.isLoaded,
    isLoading: query.isLoading,
    error: computed(() => query.error.value ?? scrollError.value),
    rebuilding: query.rebuilding,
    at(index) {
      const page = pageAt(Math.floor(index / PAGE))
      return page && rows(page)[index % PAGE]
    },
    look(from, to) {
      view = [from, to]
      if (query.isLoaded.value)
        for (const page of pagesInView()) if (!pageAt(page) && !pending.has(page)) void fetchPage(page)
    },
    retry: () => void query.retry(),
  }
}
