/** The list of runs, as much of it as somebody looks at. */

import { computed, type Ref } from 'vue'
import { usePages } from '@/base/api/pages'
import { useQuery } from '@/base/api/query'
import { compareNames } from '@/base/groups'
import { expressionIn, filterOf } from '@/base/pattern'
import { fetchAllRuns, fetchRuns, type Run, type RunQuery, type RunWindow } from './api'
import { runName } from './runName'

const TYPING_MS = 120
/** While training writes. */
const REFETCH_MS = 2000

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

/**
 * `kinds` are those of which a run must have data; `search` is plain text, `/…/` for a regular expression, or always one
 * when `isRegex`; `sort` has a `-` before it to run backwards.
 */
export function useRunSource(
  search: () => string,
  sort: () => string,
  isRegex = false,
  kinds: readonly string[] = [],
): RunSource {
  const expression = computed(() => (isRegex ? search() || null : expressionIn(search().trim())))
  const isWhole = computed(
    () => expression.value !== null || !SERVER_SORTS.includes(sort().replace(/^-/, '')),
  )
  const filter = computed(() =>
    expression.value !== null ? filterOf(expression.value) : plainFilter(search()),
  )
  const query = (): RunQuery => ({ kinds, search: search().trim(), sort: sort() })

  const pages = usePages<RunWindow, Run>({
    key: () => (isWhole.value ? null : JSON.stringify(query())),
    fetch: (offset, limit, signal) => fetchRuns({ ...query(), offset, limit }, signal),
    rows: ({ runs }) => runs,
    debounceMs: TYPING_MS,
    minIntervalMs: REFETCH_MS,
  })
  const whole = useQuery<readonly Run[]>({
    key: () => (isWhole.value ? '' : null),
    fetch: (signal) => fetchAllRuns({ kinds, sort: 'name' }, signal),
    minIntervalMs: REFETCH_MS,
  })
  // Until the whole list is here, the pages stay.
  const matching = computed<readonly Run[] | null>(() => {
    if (!isWhole.value || !whole.answer.value) return null
    const runs = whole.answer.value.filter((run) => filter.value.matches(runName(run)))
    const sorter = SORTERS[sort().replace(/^-/, '')] ?? SORTERS['name']!
    const direction = sort().startsWith('-') ? -1 : 1
    return runs.sort((a, b) => direction * sorter(a, b) || compareNames(a.name, b.name))
  })
  const source = computed(() => (isWhole.value ? whole : pages))

  return {
    total: computed(() => matching.value?.length ?? pages.page.value?.total ?? 0),
    isLoaded: computed(() => pages.isLoaded.value || whole.isLoaded.value),
    isPatternValid: computed(() => filter.value.isValid),
    error: computed(() => source.value.error.value),
    at: (index) => (matching.value ? matching.value[index] : pages.at(index)),
    look: pages.look,
    all: async () => matching.value ?? (await fetchAllRuns(query())),
    retry: () => void source.value.retry(),
  }
}

/** As the service searches: every word must be in the name, upper and lower case alike. */
function plainFilter(text: string): ReturnType<typeof filterOf> {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  return { matches: (name) => words.every((word) => name.toLowerCase().includes(word)), isValid: true }
}
