/** The runs a board shows: the one of its address, or several that are chosen on it. */

import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { noteRefusal } from '@/base/api/live'
import { chosenRuns } from '@/base/selection'
import type { ViewState } from '@/base/url/useView'
import { fetchRuns, type Run } from './api'
import { useRunInfo, type RunInfo } from './runInfo'
import { runLooks, looksOfRuns } from './runLooks'
import { namedRun } from './runName'

export interface Choosing {
  /** The newest runs with data of one of these kinds are where a board begins. */
  readonly kinds: readonly string[]
  readonly atFirst: number
}

export interface ChosenRuns extends FirstRuns {
  readonly chosen: Readonly<Ref<readonly string[]>>
  /** Those of the chosen ones that exist. */
  readonly runs: Readonly<Ref<readonly string[]>>
  readonly info: RunInfo
  /** Short, by what differs between the runs; unique. */
  readonly names: Readonly<Ref<ReadonlyMap<string, string>>>
  /** How many of the chosen ones do not exist. */
  readonly gone: Readonly<Ref<number>>
}

/** Finding runs to begin with. */
export interface FirstRuns {
  /** Still looking for them. */
  readonly isChoosing: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

export const hasAnyOf = ({ counts }: Run, kinds: readonly string[]): boolean =>
  kinds.some((kind) => (counts[kind] ?? 0) > 0)

/** While `isOpen`, chooses the runs of the other boards, or else the newest. */
export function useFirstRuns(
  isOpen: () => boolean,
  choose: (runs: readonly string[]) => void,
  { kinds, atFirst }: Choosing,
): FirstRuns {
  const error = shallowRef<unknown>(null)
  const isChoosing = ref(false)

  async function chooseFirst(): Promise<void> {
    error.value = null
    try {
      const selection = chosenRuns.value
      if (selection) choose(selection)
      else {
        const { runs } = await fetchRuns({ kinds, sort: '-created_at', limit: atFirst })
        if (isOpen()) choose(runs.map((item) => item.id))
      }
      isChoosing.value = false
    } catch (problem) {
      noteRefusal(problem)
      error.value = problem
    }
  }
  // Also when the address loses its runs, as by the link to this board in the rail.
  watch(
    isOpen,
    (is) => {
      isChoosing.value = is
      if (is) void chooseFirst()
    },
    { immediate: true },
  )

  return { isChoosing, error, retry: () => void chooseFirst() }
}

/** `run` is the one of the address, or null on a board of several. */
export function useChosenRuns<V extends { readonly runs: readonly string[] | null }>(
  run: () => string | null,
  { view, update }: ViewState<V>,
  { kinds, atFirst }: Choosing,
): ChosenRuns {
  const chosen = computed<readonly string[]>(() => {
    const own = run()
    return own !== null ? [own] : (view.value.runs ?? [])
  })
  const first = useFirstRuns(
    () => view.value.runs === null && run() === null,
    (runs) => update({ runs } as Partial<V>, 'default'),
    { kinds, atFirst },
  )
  watch(
    chosen,
    (runs) => {
      if (run() === null && view.value.runs !== null) chosenRuns.value = runs
    },
    { immediate: true },
  )

  const info = useRunInfo(() => chosen.value)
  const runs = computed(() => chosen.value.filter((id) => info.runs.value.has(id)))
  const looks = computed(() => looksOfRuns(runs.value.map((id) => namedRun(info.runs.value.get(id)!))))
  watch(looks, (next) => (runLooks.value = next), { immediate: true, flush: 'sync' })
  return {
    chosen,
    runs,
    info,
    names: computed(() => new Map([...looks.value.names].map(([id, { lead }]) => [id, lead]))),
    gone: computed(() => (info.isComplete.value ? chosen.value.length - runs.value.length : 0)),
    ...first,
  }
}
