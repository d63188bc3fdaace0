/** Changes of runs on the home page: the table follows, and what is archived or hidden leaves the charts. */

import { computed, type ComputedRef } from 'vue'
import { useCommands } from '@/base/commands'
import { live } from '@/base/api/live'
import type { ViewState } from '@/base/url/useView'
import type { HomeView } from '../homeView'
import type { Home } from '../useHome'
import { FORMS, SWITCHES, useRunEdits, type RunEdits } from './useRunEdits'
import { w } from './words'

export interface HomeEdits extends RunEdits {
  /** Of the rows that are loaded, for completion. */
  readonly known: ComputedRef<{ readonly labels: readonly string[]; readonly owners: readonly string[] }>
}

const sorted = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].filter(Boolean).sort()

export function useHomeEdits(home: Home, { view, update }: ViewState<HomeView>): HomeEdits {
  const edits = useRunEdits({
    changed: home.rows.retry,
    left(runs) {
      const before = view.value.runs
      if (before === null || view.value.isWhole) return () => undefined
      const gone = new Set(runs)
      const rest = before.filter((run) => !gone.has(run))
      update({ runs: rest.length > 0 ? rest : null })
      return () => update({ runs: before })
    },
  })
  const known = computed(() => {
    const rows = [...home.loaded.value.values()]
    return {
      labels: sorted(rows.flatMap(({ labels }) => labels)),
      owners: sorted(rows.map(({ owner }) => owner)),
    }
  })
  useCommands(() =>
    live.isReadOnly.value || home.drawn.value.length === 0
      ? []
      : [
          ...FORMS.filter((form) => form !== 'rename' || home.drawn.value.length === 1).map((form) => ({
            id: `runs-${form}`,
            kind: 'command' as const,
            label: w.value.commands[form](home.drawn.value.length),
            run: () => void edits.begin(form, home.drawn.value),
          })),
          ...SWITCHES.map((change) => ({
            id: `runs-${change}`,
            kind: 'command' as const,
            label: w.value.commands[change](home.drawn.value.length),
            run: () => void edits.toggle(change, home.drawn.value),
          })),
        ],
  )
  return { ...edits, known }
}
