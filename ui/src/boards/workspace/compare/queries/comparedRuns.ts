/** The runs of the comparison: which a rule finds, which of them are compared, and how they look. */

import { computed, watch, type ComputedRef } from 'vue'
import { ApiError } from '@/base/api/client'
import { live } from '@/base/api/live'
import { useQuery, type QueryState } from '@/base/api/query'
import { t } from '@/i18n'
import { chosenRuns } from '@/base/selection'
import type { ViewState } from '@/base/url/useView'
import type { ChosenRuns } from '@/board/runs/chosenRuns'
import { looksOfRuns, runLooks, type NamedRun, type RunName } from '@/board/runs/runLooks'
import { toggled } from '@/board/tags/tagView'
import type { Rule, ScalarView } from '@/boards/workspace/scalars/scalarView'
import { fetchRunsToCompare, type Look, type RunRule, type RunsToCompare, type RunToCompare } from './api'

export interface ComparedRuns {
  readonly source: QueryState<RunsToCompare>
  /** What the service did not understand, by the parameter that is wrong. */
  readonly complaint: ComputedRef<ApiError | null>
  readonly found: ComputedRef<readonly RunToCompare[]>
  readonly chosen: ComputedRef<readonly RunToCompare[]>
  readonly ids: ComputedRef<readonly string[]>
  /** Of those that are chosen: short, by what differs between them. */
  readonly names: ComputedRef<ReadonlyMap<string, string>>
  /** Of all that are known, by what differs between these. */
  readonly listNames: ComputedRef<ReadonlyMap<string, RunName>>
  /** All that are known, by id. */
  readonly byId: ComputedRef<ReadonlyMap<string, RunToCompare>>
  readonly gone: ComputedRef<number>
  /** Runs without scalars, which are not listed. */
  readonly withoutData: ComputedRef<number>
  toggle(run: string): void
}

/** A run as lists of runs name it. */
const namedRun = ({ run, name, custom_name, own_colour }: RunToCompare): NamedRun => ({
  id: run,
  name: custom_name === '' ? name : `${custom_name} (${name})`,
  title: custom_name,
  colour: own_colour,
})

/** A rule as the service takes it. */
export function ruleOf({ kind, texts }: Rule): RunRule {
  if (texts.length === 0) return {}
  switch (kind) {
    case 'find':
      return { search: texts[0]! }
    case 're':
      return { pattern: texts[0]! }
    case 'query':
      return { query: texts[0]! }
    case 'label':
      return { labels: texts }
  }
}

/** The runs that a view compares, of those that there are. */
export function comparedOf(
  runs: readonly RunToCompare[],
  { isByRule, runs: ticked, without }: Pick<ScalarView, 'isByRule' | 'runs' | 'without'>,
): readonly RunToCompare[] {
  const own = new Set(ticked ?? [])
  const left = new Set(without)
  return runs.filter(({ run, is_match }) => own.has(run) || (isByRule && is_match && !left.has(run)))
}

/** What changes in a view when a run is ticked or unticked. */
export function toggledRun(
  { isByRule, runs, without }: Pick<ScalarView, 'isByRule' | 'runs' | 'without'>,
  run: string,
  isFound: boolean,
): Partial<ScalarView> {
  const ticked = runs ?? []
  if (!isByRule || !isFound) return { runs: toggled(ticked, run) }
  const isOn = ticked.includes(run) || !without.includes(run)
  return {
    runs: ticked.filter((other) => other !== run),
    without: isOn ? [...new Set([...without, run])] : without.filter((other) => other !== run),
  }
}

export const lookOf = ({ groupBy, groupPattern, colourBy, dashBy, facetBy }: ScalarView): Look => ({
  groupBy,
  groupPattern,
  colourBy,
  dashBy,
  facetBy,
})

export function useComparedRuns({ view, update }: ViewState<ScalarView>): ComparedRuns {
  // Also when the address loses its runs, as by the link to this board in the rail.
  watch(
    () => view.value.runs === null,
    (isOpen) => {
      if (!isOpen) return
      const elsewhere = chosenRuns.value
      update(elsewhere ? { runs: elsewhere } : { isByRule: true, runs: [] }, 'default')
    },
    { immediate: true },
  )
  const source = useQuery<RunsToCompare>({
    key: () => JSON.stringify([view.value.rule, view.value.runs, lookOf(view.value)]),
    fetch: (signal) =>
      fetchRunsToCompare(ruleOf(view.value.rule), view.value.runs ?? [], lookOf(view.value), signal),
    steadyIntervalMs: 20_000,
  })
  watch(live.annotations, source.retry) // labels decide which runs are found
  // The base folder itself may be a run.
  const all = computed(() =>
    (source.answer.value?.runs ?? []).map((each) =>
      each.name === '.' ? { ...each, name: t.value.baseFolder } : each,
    ),
  )
  const byId = computed(() => new Map(all.value.map((each) => [each.run, each])))
  const chosen = computed(() => comparedOf(all.value, view.value))

  // Those of the address keep their colours when others join them, and old runs when new ones are found.
  const looks = computed(() => {
    const own = new Set(view.value.runs ?? [])
    const ticked = [...own].flatMap((run) => chosen.value.find((each) => each.run === run) ?? [])
    const found = chosen.value.filter(({ run }) => !own.has(run)).reverse()
    return looksOfRuns([...ticked, ...found].map(namedRun))
  })
  watch(looks, (next) => (runLooks.value = next), { immediate: true, flush: 'sync' })

  watch(
    () => view.value.runs,
    (runs) => {
      if (runs !== null && !view.value.isByRule) chosenRuns.value = runs
    },
    { immediate: true },
  )

  return {
    source,
    complaint: computed(() =>
      source.error.value instanceof ApiError && source.error.value.status === 400 ? source.error.value : null,
    ),
    found: computed(() => all.value.filter(({ is_match }) => is_match)),
    chosen,
    // The same list as long as it has the same runs, so that nothing is drawn anew for a new answer.
    ids: computed<readonly string[]>((before) => {
      const ids = chosen.value.map(({ run }) => run)
      return before && before.length === ids.length && before.every((id, at) => id === ids[at]) ? before : ids
    }),
    names: computed(() => new Map([...looks.value.names].map(([run, { lead }]) => [run, lead]))),
    listNames: computed(() => looksOfRuns(all.value.map(namedRun)).names),
    byId,
    withoutData: computed(() => source.answer.value?.without_data ?? 0),
    gone: computed(() => source.answer.value?.missing.length ?? 0),
    toggle: (run) => update(toggledRun(view.value, run, byId.value.get(run)?.is_match ?? false)),
  }
}

/** A run that stands alone, without groups and columns. */
export const oneRun = (run: string): RunToCompare => ({
  run,
  name: '',
  group: '',
  colour: '',
  dash: '',
  facet: '',
  is_match: false,
  custom_name: '',
  own_colour: '',
})

/** The runs as boards of tags take them. */
export function choiceOf({ source, ids, names, gone, complaint }: ComparedRuns): ChosenRuns {
  const isAnswered = computed(() => source.answer.value !== null)
  const error = computed(() => (isAnswered.value || complaint.value ? null : source.error.value))
  return {
    chosen: ids,
    runs: ids,
    names,
    gone,
    info: {
      runs: computed(() => new Map()),
      isComplete: isAnswered,
      error: computed(() => null),
      retry: source.retry,
    },
    isChoosing: computed(() => !isAnswered.value && !source.isLoaded.value),
    error,
    retry: () => void source.retry(),
  }
}
