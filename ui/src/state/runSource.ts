/** The list of runs, as much of it as somebody looks at. */

import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchRuns, type Run } from '@/api/runs'
import { compareNames } from './groups'
import { noteRefusal, onChanges } from './live'
import { expressionIn, filterOf } from './pattern'

const PAGE = 100
/** Runs per request when all are needed. */
const BULK = 2000
/** While training writes, the list is fetched anew at most this often. */
const REFRESH_MS = 2000

/** What the service can sort by; other orders and regular expressions need the whole list here. */
const SERVER_SORTS: readonly string[] = ['name', 'created_at', 'updated_at', 'bytes', 'dialects', 'warnings']

export interface RunSource {
  readonly total: Readonly<Ref<number>>
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly isPatternValid: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  at(index: number): Run | undefined
  /** Say which rows are in view. */
  look(from: number, to: number): void
  /** Every run that matches, in order. */
  all(): Promise<readonly Run[]>
  retry(): void
}

const SORTERS: Readonly<Record<string, (a: Run, b: Run) => number>> = {
  name: (a, b) => compareNames(a.name, b.name),
  created_at: (a, b) => a.created_at - b.created_at,
  updated_at: (a, b) => a.updated_at - b.updated_at,
  bytes: (a, b) => a.bytes - b.bytes,
  dialects: (a, b) => compareNames(a.dialects.join(), b.dialects.join()),
  warnings: (a, b) => a.warning_count - b.warning_count,
  counts: (a, b) => (a.counts['scalars'] ?? 0) - (b.counts['scalars'] ?? 0) || countAll(a) - countAll(b),
}

const countAll = (run: Run): number => Object.values(run.counts).reduce((sum, count) => sum + count, 0)

/** `search` is plain text, `/…/` for a regular expression, or always one when `isRegex`; `sort` has a `-` before it to run backwards. */
export function useRunSource(search: () => string, sort: () => string, isRegex = false): RunSource {
  const pages = shallowRef<ReadonlyMap<number, readonly Run[]>>(new Map())
  const whole = shallowRef<readonly Run[] | null>(null)
  const serverTotal = ref(0)
  const isLoaded = ref(false)
  const error = shallowRef<unknown>(null)

  const expression = computed(() => (isRegex ? search() || null : expressionIn(search().trim())))
  const isWhole = computed(() => expression.value !== null || !SERVER_SORTS.includes(sort().replace(/^-/, '')))
  const filter = computed(() => (expression.value !== null ? filterOf(expression.value) : plainFilter(search())))

  const matching = computed<readonly Run[]>(() => {
    if (!whole.value) return []
    const found = whole.value.filter((run) => filter.value.matches(run.name))
    const sorter = SORTERS[sort().replace(/^-/, '')] ?? SORTERS['name']!
    const direction = sort().startsWith('-') ? -1 : 1
    return found.sort((a, b) => direction * sorter(a, b) || compareNames(a.name, b.name))
  })

  let view: readonly [number, number] = [0, 0]
  let abort = new AbortController()
  let asked = new Set<number>()
  let lastFetch = -Infinity
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Ask for pages in view that are missing (or for all in view when `again`); what is shown stays until answers come. */
  function fill(again = false): void {
    if (isWhole.value) {
      if (again || (!whole.value && asked.size === 0)) void fetchWhole()
      return
    }
    const last = Math.max(view[0], view[1] - 1)
    for (let page = Math.floor(view[0] / PAGE); page <= Math.floor(last / PAGE); page++) {
      if (asked.has(page) || (!again && pages.value.has(page))) continue
      asked.add(page)
      void fetchPage(page)
    }
  }

  async function fetchPage(page: number): Promise<void> {
    const { signal } = abort
    const mine = asked
    lastFetch = performance.now()
    try {
      const { total, runs } = await fetchRuns({ search: search().trim(), sort: sort(), offset: page * PAGE, limit: PAGE }, signal)
      if (signal.aborted) return
      serverTotal.value = total
      pages.value = new Map([...pages.value, [page, runs]])
      isLoaded.value = true
      error.value = null
    } catch (problem) {
      if (!isAbort(problem)) fail(problem)
    } finally {
      mine.delete(page)
    }
  }

  async function fetchEverything(signal: AbortSignal): Promise<readonly Run[]> {
    const runs: Run[] = []
    for (;;) {
      const part = await fetchRuns({ sort: 'name', offset: runs.length, limit: BULK }, signal)
      runs.push(...part.runs)
      if (runs.length >= part.total || part.runs.length === 0) return runs
    }
  }

  async function fetchWhole(): Promise<void> {
    const { signal } = abort
    const mine = asked
    mine.add(-1)
    lastFetch = performance.now()
    try {
      const runs = await fetchEverything(signal)
      if (signal.aborted) return
      whole.value = runs
      isLoaded.value = true
      error.value = null
    } catch (problem) {
      if (!isAbort(problem)) fail(problem)
    } finally {
      mine.delete(-1)
    }
  }

  function fail(problem: unknown): void {
    noteRefusal(problem)
    error.value = problem
  }

  function restart(): void {
    abort.abort()
    abort = new AbortController()
    asked = new Set()
    fill(true)
  }

  // Typing settles first; old rows stay until the new ones are here.
  watch([search, sort, isWhole], () => {
    clearTimeout(timer)
    if (isWhole.value && whole.value) return
    timer = setTimeout(() => {
      abort.abort()
      abort = new AbortController()
      asked = new Set()
      view = [0, Math.max(PAGE, view[1] - view[0])]
      const { signal } = abort
      if (isWhole.value) {
        void fetchWhole()
        return
      }
      const first = fetchRuns({ search: search().trim(), sort: sort(), offset: 0, limit: PAGE }, signal)
      asked.add(0)
      first
        .then(({ total, runs }) => {
          if (signal.aborted) return
          serverTotal.value = total
          pages.value = new Map([[0, runs]])
          isLoaded.value = true
          error.value = null
        })
        .catch((problem: unknown) => {
          if (!isAbort(problem)) fail(problem)
        })
        .finally(() => asked.delete(0))
    }, 120)
  })

  onChanges(() => {
    clearTimeout(timer)
    const wait = Math.max(0, REFRESH_MS - (performance.now() - lastFetch))
    timer = setTimeout(() => {
      // Rows out of view are forgotten, those in view replaced.
      const inView = new Map([...pages.value].filter(([page]) => page >= Math.floor(view[0] / PAGE) && page <= Math.floor(view[1] / PAGE)))
      pages.value = inView
      fill(true)
    }, wait)
  })

  onScopeDispose(() => {
    abort.abort()
    clearTimeout(timer)
  })

  fill(true)

  return {
    total: computed(() => (isWhole.value && whole.value ? matching.value.length : serverTotal.value)),
    isLoaded,
    isPatternValid: computed(() => filter.value.isValid),
    error,
    at: (index) => (isWhole.value && whole.value ? matching.value[index] : pages.value.get(Math.floor(index / PAGE))?.[index % PAGE]),
    look(from, to) {
      view = [from, to]
      fill()
    },
    async all() {
      if (isWhole.value && whole.value) return matching.value
      const runs: Run[] = []
      for (;;) {
        const part = await fetchRuns({ search: search().trim(), sort: sort(), offset: runs.length, limit: BULK }, abort.signal)
        runs.push(...part.runs)
        if (runs.length >= part.total || part.runs.length === 0) return runs
      }
    },
    retry: restart,
  }
}

/** As the service searches: every word must be in the name, upper and lower case alike. */
function plainFilter(text: string): ReturnType<typeof filterOf> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return { matches: (name) => words.every((word) => name.toLowerCase().includes(word)), isValid: true }
}
