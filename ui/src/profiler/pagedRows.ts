/** A table of the service of which only the rows in view are fetched. */

import { onScopeDispose, ref, shallowRef, watch, type Ref, type ShallowRef } from 'vue'
import { isAbort, type Parameters } from '@/api/client'
import { askProfile, isWaiting } from '@/api/profiles'
import { noteRefusal } from '@/state/live'

export type Cell = string | number | boolean | null
export type Row = Readonly<Record<string, Cell>>

export interface Column {
  readonly name: string
  /** Such as `ms`, empty where there is none. */
  readonly unit: string
  readonly kind: string
}

export interface Page {
  readonly total: number
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
}

export interface PagedRows<P extends Page> {
  /** The first page of what is asked: its columns, its total, and what else comes with it. */
  readonly first: Readonly<ShallowRef<P | null>>
  readonly isLoading: Readonly<Ref<boolean>>
  readonly error: Readonly<ShallowRef<unknown>>
  at(index: number): Row | undefined
  /** Say which rows are in view. */
  look(from: number, to: number): void
  retry(): void
}

const PAGE = 100
const TYPING_MS = 150

export function usePagedRows<P extends Page>(question: () => { readonly profile: string; readonly part: string; readonly parameters: Parameters }): PagedRows<P> {
  const first = shallowRef(null) as ShallowRef<P | null>
  const pages = shallowRef<ReadonlyMap<number, readonly Row[]>>(new Map())
  const isLoading = ref(false)
  const error = shallowRef<unknown>(null)
  let abort = new AbortController()
  let asked = new Set<number>()
  let timer: ReturnType<typeof setTimeout> | undefined

  async function fetchPage(page: number): Promise<void> {
    const { signal } = abort
    const { profile, part, parameters } = question()
    asked.add(page)
    isLoading.value = true
    try {
      const found = await askProfile<P>(profile, part, { ...parameters, offset: page * PAGE, limit: PAGE }, signal)
      if (isWaiting(found)) return restart() // made room for others meanwhile, and is analysed anew
      // The first page of another question takes the place of all that was there; until then that stays.
      pages.value = new Map([...(page === 0 ? [] : pages.value), [page, found.rows]])
      if (page === 0) first.value = found
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      error.value = problem
    }
    if (!signal.aborted) isLoading.value = false
  }

  function restart(): void {
    abort.abort()
    abort = new AbortController()
    asked = new Set()
    clearTimeout(timer)
    timer = setTimeout(() => void fetchPage(0), first.value ? TYPING_MS : 0)
  }

  watch(() => JSON.stringify(question()), restart, { immediate: true })
  onScopeDispose(() => {
    clearTimeout(timer)
    abort.abort()
  })

  return {
    first,
    isLoading,
    error,
    at: (index) => pages.value.get(Math.floor(index / PAGE))?.[index % PAGE],
    look(from, to) {
      for (let page = Math.max(1, Math.floor(from / PAGE)); page * PAGE < to; page++) if (!asked.has(page)) void fetchPage(page)
    },
    retry: restart,
  }
}
