/** The lines of a run as the page shows them: all of them by number, or those of a level, and what is looked for. */

import { computed, ref, shallowRef, watch } from 'vue'
import { isAbort } from '@/base/api/client'
import { useLatestRequest } from '@/base/api/latestRequest'
import { changesOf, useQuery } from '@/base/api/query'
import { fetchLines, searchLines, type ConsoleLine } from './api'
import type { ConsoleView, Level } from './consoleView'
import { LineChunks } from './lineChunks'

const OF_LEVEL = 1000
const LOOKS_MS = 1000

interface OfLevel {
  readonly total: number
  readonly lines: readonly ConsoleLine[]
  /** Where older ones are looked for; null: there are none. */
  readonly next: number | null
}

export function useConsole(run: () => string, view: () => ConsoleView) {
  const failure = shallowRef<unknown>(null)
  const level = (): Level => view().level

  const newest = useQuery({
    key: run,
    fetch: (signal) => fetchLines(run(), { limit: 1 }, signal),
    concerns: changesOf(() => [run()]),
    minIntervalMs: LOOKS_MS,
    clears: true,
  })
  const total = computed(() => newest.answer.value?.total_lines ?? 0)
  const chunks = new LineChunks(
    async (from, limit) => (await fetchLines(run(), { from, limit })).lines,
    (error) => (failure.value = error),
  )
  watch(run, () => chunks.clear())
  watch(total, (now, before) => now < before && chunks.clear())

  const ofLevel = useQuery<OfLevel>({
    key: () => (level() === 'any' ? null : `${run()} ${level()}`),
    async fetch(signal) {
      const search = { find: '', level: level(), isBackward: true, limit: OF_LEVEL }
      const found = await searchLines(run(), search, signal)
      return { total: found.total_lines, lines: found.lines.toReversed(), next: found.next_line }
    },
    concerns: changesOf(() => [run()]),
    minIntervalMs: LOOKS_MS,
    clears: true,
  })
  const older = shallowRef<OfLevel | null>(null)
  const olderRequest = useLatestRequest()
  watch([run, level], () => {
    olderRequest.cancel()
    older.value = null
  })

  /** Fetch the lines of the level before the first one. */
  async function loadOlder(): Promise<void> {
    const base = older.value ?? ofLevel.answer.value
    if (!base || base.next === null) return
    const search = { find: '', level: level(), isBackward: true, limit: OF_LEVEL, from: base.next }
    try {
      const found = await searchLines(run(), search, olderRequest.start())
      const before = older.value?.lines ?? []
      const lines = [...found.lines.toReversed(), ...before]
      older.value = { total: found.total_lines, lines, next: found.next_line }
    } catch (error) {
      if (!isAbort(error)) failure.value = error
    }
  }

  const leveled = computed<readonly ConsoleLine[]>(() => {
    const last = ofLevel.answer.value?.lines ?? []
    const first = older.value?.lines ?? []
    const end = first.at(-1)?.number ?? -1
    return [...first, ...last.filter(({ number }) => number > end)]
  })
  const isLeveled = computed(() => level() !== 'any')
  const count = computed(() => (isLeveled.value ? leveled.value.length : total.value))
  const state = computed(() => (isLeveled.value ? ofLevel : newest))

  return {
    total,
    count,
    isLeveled,
    failure,
    loadOlder,
    hasOlder: computed(
      () => isLeveled.value && ((older.value ?? ofLevel.answer.value)?.next ?? null) !== null,
    ),
    isLoaded: computed(() => state.value.isLoaded.value),
    error: computed(() => state.value.error.value),
    retry: () => void state.value.retry(),
    row: (index: number): ConsoleLine | undefined =>
      isLeveled.value ? leveled.value[index] : chunks.line(index),
    rowOf: (line: number): number =>
      isLeveled.value ? leveled.value.findIndex(({ number }) => number >= line) : line,
    want(from: number, to: number): void {
      if (!isLeveled.value && total.value > 0) chunks.want(from, to, total.value)
    },
  }
}

export type SearchState = 'idle' | 'searching' | 'missing'

/** Going from match to match. */
export function useSearch(run: () => string, view: () => ConsoleView, found: (line: ConsoleLine) => void) {
  const state = ref<SearchState>('idle')
  const request = useLatestRequest()
  watch([run, () => view().find, () => view().level], () => {
    request.cancel()
    state.value = 'idle'
  })

  async function go(isBackward: boolean): Promise<void> {
    const { find, level, line } = view()
    if (find === '') return
    const from = line === null ? undefined : isBackward ? line - 1 : line + 1
    if (from !== undefined && from < 0) return void (state.value = 'missing')
    state.value = 'searching'
    try {
      const { lines } = await searchLines(run(), { find, level, from, isBackward, limit: 1 }, request.start())
      state.value = lines[0] ? 'idle' : 'missing'
      if (lines[0]) found(lines[0])
    } catch (error) {
      if (!isAbort(error)) state.value = 'missing'
    }
  }
  return { state, go }
}
