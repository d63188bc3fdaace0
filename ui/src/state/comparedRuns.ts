/** The runs of the comparison: which a rule finds, which of them are compared, and how they look. */

import { computed, watch, type ComputedRef } from 'vue'
import { ApiError } from '@/api/client'
import { fetchRunsToCompare, type Look, type RunRule, type RunsToCompare, type RunToCompare } from '@/api/compare'
import { t } from '@/i18n'
import { useAnswer, type Answer } from './answer'
import { useFirstRuns, type FirstRuns } from './chosenRuns'
import type { CompareView, Rule } from './compareView'
import { chosenRuns } from './selection'
import { toggled } from './tagView'
import type { ViewState } from './useView'

export interface ComparedRuns {
  readonly first: FirstRuns
  readonly source: Answer<RunsToCompare>
  /** What the service did not understand, by the parameter that is wrong. */
  readonly complaint: ComputedRef<ApiError | null>
  readonly found: ComputedRef<readonly RunToCompare[]>
  readonly chosen: ComputedRef<readonly RunToCompare[]>
  readonly ids: ComputedRef<readonly string[]>
  readonly names: ComputedRef<ReadonlyMap<string, string>>
  /** All that are known, by id. */
  readonly byId: ComputedRef<ReadonlyMap<string, RunToCompare>>
  readonly gone: ComputedRef<number>
  toggle(run: string): void
}

const NEWEST = 8

/** A rule as the service takes it. */
export function ruleOf({ kind, texts }: Rule): RunRule {
  if (texts.length === 0) return {}
  switch (kind) {
    case 'find': return { search: texts[0]! }
    case 're': return { pattern: texts[0]! }
    case 'q': return { query: texts[0]! }
    case 'label': return { labels: texts }
  }
}

/** The runs that a view compares, of those that there are. */
export function comparedOf(runs: readonly RunToCompare[], { isByRule, runs: ticked, without }: Pick<CompareView, 'isByRule' | 'runs' | 'without'>): readonly RunToCompare[] {
  const own = new Set(ticked ?? [])
  const left = new Set(without)
  return runs.filter(({ run, is_found }) => own.has(run) || (isByRule && is_found && !left.has(run)))
}

/** What changes in a view when a run is ticked or unticked. */
export function toggledRun({ isByRule, runs, without }: Pick<CompareView, 'isByRule' | 'runs' | 'without'>, run: string, isFound: boolean): Partial<CompareView> {
  const ticked = runs ?? []
  if (!isByRule || !isFound) return { runs: toggled(ticked, run) }
  const isOn = ticked.includes(run) || !without.includes(run)
  return { runs: ticked.filter((other) => other !== run), without: isOn ? [...new Set([...without, run])] : without.filter((other) => other !== run) }
}

export const lookOf = ({ groupBy, groupPattern, colourBy, dashBy, facetBy }: CompareView): Look => ({ groupBy, groupPattern, colourBy, dashBy, facetBy })

export function useComparedRuns({ view, update }: ViewState<CompareView>): ComparedRuns {
  const first = useFirstRuns(() => view.value.runs === null, (runs) => update({ runs }, 'default'), { kinds: ['scalars'], atFirst: NEWEST })
  const source = useAnswer<RunsToCompare>({
    key: () => JSON.stringify([view.value.rule, view.value.runs, lookOf(view.value)]),
    ask: (signal) => fetchRunsToCompare(ruleOf(view.value.rule), view.value.runs ?? [], lookOf(view.value), signal),
  })
  // The base folder itself may be a run.
  const all = computed(() => (source.answer.value?.runs ?? []).map((each) => (each.name === '.' ? { ...each, name: t.value.baseFolder } : each)))
  const byId = computed(() => new Map(all.value.map((each) => [each.run, each])))
  const chosen = computed(() => comparedOf(all.value, view.value))

  watch(() => view.value.runs, (runs) => {
    if (runs !== null && !view.value.isByRule) chosenRuns.value = runs
  }, { immediate: true })

  return {
    first,
    source,
    complaint: computed(() => (source.error.value instanceof ApiError && source.error.value.status === 400 ? source.error.value : null)),
    found: computed(() => all.value.filter(({ is_found }) => is_found)),
    chosen,
    // The same list as long as it has the same runs, so that nothing is drawn anew for a new answer.
    ids: computed<readonly string[]>((before) => {
      const ids = chosen.value.map(({ run }) => run)
      return before && before.length === ids.length && before.every((id, at) => id === ids[at]) ? before : ids
    }),
    names: computed(() => new Map(all.value.map(({ run, name }) => [run, name]))),
    byId,
    gone: computed(() => source.answer.value?.gone.length ?? 0),
    toggle: (run) => update(toggledRun(view.value, run, byId.value.get(run)?.is_found ?? false)),
  }
}
