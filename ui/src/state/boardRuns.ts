/** The runs of a board: one that is given, or several that are chosen there. */

import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { fetchRuns } from '@/api/runs'
import { dashNumbers } from '@/charts/palette'
import { t } from '@/i18n'
import { noteRefusal } from './live'
import { useRunInfo, type RunInfo } from './runInfo'
import { chosenRuns } from './selection'
import type { ViewState } from './useView'

export interface BoardRuns {
  /** Ids as they were chosen, and those of them that exist. */
  readonly chosen: Readonly<Ref<readonly string[]>>
  readonly runs: Readonly<Ref<readonly string[]>>
  /** How many of the chosen runs do not exist any more. */
  readonly gone: Readonly<Ref<number>>
  readonly runNames: Readonly<Ref<ReadonlyMap<string, string>>>
  readonly dashes: Readonly<Ref<ReadonlyMap<string, number>>>
  readonly info: RunInfo
  /** Whether the runs to begin with are being looked for. */
  readonly isChoosing: Readonly<Ref<boolean>>
  readonly startError: Readonly<Ref<unknown>>
  chooseFirst(): Promise<void>
}

export interface BoardRunOptions extends ViewState {
  readonly run: string | null
  /** Without a choice, a board begins with the `newest` runs that have this kind of data. */
  readonly kind: string
  readonly newest: number
}

export function useBoardRuns({ run, kind, newest, view, update }: BoardRunOptions): BoardRuns {
  const chosen = computed<readonly string[]>(() => (run !== null ? [run] : (view.value.runs ?? [])))
  const startError = shallowRef<unknown>(null)
  const isChoosing = ref(false)

  async function chooseFirst(): Promise<void> {
    startError.value = null
    try {
      const kept = chosenRuns.value
      if (kept) update({ runs: kept }, 'default')
      else {
        const { runs: found } = await fetchRuns({ sort: '-created_at', limit: 40 })
        const first = found.filter((item) => (item.counts[kind] ?? 0) > 0).slice(0, newest)
        if (view.value.runs === null) update({ runs: first.map((item) => item.id) }, 'default')
      }
      isChoosing.value = false
    } catch (problem) {
      noteRefusal(problem)
      startError.value = problem
    }
  }
  // Also when the address loses its runs, as by the link to this board in the rail.
  watch(() => view.value.runs === null && run === null, (isOpen) => {
    isChoosing.value = isOpen
    if (isOpen) void chooseFirst()
  }, { immediate: true })
  watch(chosen, (ids) => {
    if (run === null && view.value.runs !== null) chosenRuns.value = ids
  }, { immediate: true })

  const info = useRunInfo(() => chosen.value)
  const runs = computed(() => chosen.value.filter((id) => info.runs.value.has(id)))
  return {
    chosen, runs, info, isChoosing, startError, chooseFirst,
    gone: computed(() => (info.isComplete.value ? chosen.value.length - runs.value.length : 0)),
    runNames: computed(() => new Map([...info.runs.value].map(([id, item]) => [id, item.name === '.' ? t.value.baseFolder : item.name]))),
    dashes: computed(() => dashNumbers(runs.value)),
  }
}
