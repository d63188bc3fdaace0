/** What the board of hyper-parameters shows: columns, sessions, ticks and colours, from its view and the data. */

import { computed, watch, type ComputedRef, type Ref } from 'vue'
import type { Trial, Trials } from '@/api/hparams'
import { colouring, type Colouring } from '@/axes/colouring'
import { isSpread, kept, type Brush } from '@/axes/table'
import type { HparamView } from '@/state/hparamView'
import { chosenRuns } from '@/state/selection'
import { chartColours } from '@/state/theme'
import { withEntry } from '@/state/address'
import type { ViewState } from '@/state/useView'
import { columnsOf, found, inOrder, shownAtFirst, sorted, type TableColumn } from './trialTable'

export interface TrialBoard {
  /** Those that the search finds. */
  readonly trials: ComputedRef<Trials>
  readonly columns: ComputedRef<readonly TableColumn[]>
  readonly shownKeys: ComputedRef<ReadonlySet<string>>
  /** In the order of the table. */
  readonly shown: ComputedRef<readonly TableColumn[]>
  /** In the order that people gave the axes. */
  readonly axes: ComputedRef<readonly TableColumn[]>
  /** 1 for sessions that pass the filters. */
  readonly mask: ComputedRef<Uint8Array>
  readonly rows: ComputedRef<readonly number[]>
  readonly ticked: ComputedRef<ReadonlySet<number>>
  readonly logs: ComputedRef<ReadonlySet<string>>
  readonly colourColumn: ComputedRef<TableColumn | null>
  readonly colours: ComputedRef<Colouring>
  brush(key: string, brush: Brush | null): void
  brushAll(brushes: readonly (readonly [string, Brush | null])[]): void
  tick(rows: readonly number[], isOn: boolean): void
  toggle(row: number): void
  toggleLog(key: string): void
}

const NOTHING: Trials = { columns: [], rows: [], errors: [] }

export function useTrialBoard({ view, update }: ViewState<HparamView>, all: Readonly<Ref<Trials | null>>): TrialBoard {
  const trials = computed(() => found(all.value ?? NOTHING, view.value.search))
  const columns = computed(() => columnsOf(trials.value))
  const shownKeys = computed<ReadonlySet<string>>(() => new Set(view.value.columns ?? shownAtFirst(columns.value)))
  const shown = computed(() => columns.value.filter(({ key }) => shownKeys.value.has(key)))
  const axes = computed(() => {
    const byKey = new Map(shown.value.map((column) => [column.key, column]))
    return inOrder([...byKey.keys()], view.value.order).map((key) => byKey.get(key)!)
  })
  const mask = computed(() => kept(columns.value, view.value.brushes, trials.value.rows.length))
  const rows = computed(() => sorted(trials.value, columns.value, mask.value, view.value.sort))

  // A board that says nothing about runs begins with those chosen on the others.
  const chosen = computed(() => new Set(view.value.runs ?? chosenRuns.value ?? []))
  const isTicked = ({ runs }: Trial): boolean => runs.some((run) => chosen.value.has(run))
  const ticked = computed<ReadonlySet<number>>(() => new Set(trials.value.rows.flatMap((trial, at) => (isTicked(trial) ? [at] : []))))
  watch(() => view.value.runs, (runs) => {
    if (runs !== null) chosenRuns.value = runs.length > 0 ? runs : null
  }, { immediate: true })

  function tick(changed: readonly number[], isOn: boolean): void {
    const runs = new Set((all.value ?? NOTHING).rows.flatMap((trial) => (isTicked(trial) ? trial.runs : [])))
    for (const row of changed) for (const run of trials.value.rows[row]!.runs) runs[isOn ? 'add' : 'delete'](run)
    update({ runs: [...runs] })
  }

  const logs = computed<ReadonlySet<string>>(() => new Set(columns.value.filter((column) => view.value.logs.get(column.key) ?? isSpread(column)).map(({ key }) => key)))

  const colourColumn = computed(() => {
    if (view.value.colour === '') return null
    const metrics = shown.value.filter(({ info }) => info.group === 'metric')
    return columns.value.find(({ key }) => key === view.value.colour) ?? metrics[0] ?? shown.value[0] ?? null
  })
  const colours = computed(() => {
    const { series, accent, axis } = chartColours.value
    const column = colourColumn.value
    return colouring(column, trials.value.rows.length, column !== null && logs.value.has(column.key), { series, plain: accent, missing: axis })
  })

  return {
    trials, columns, shownKeys, shown, axes, mask, rows, ticked, logs, colourColumn, colours, tick,
    brush: (key, brush) => update({ brushes: withEntry(view.value.brushes, key, brush) }),
    brushAll: (brushes) => update({ brushes: brushes.reduce((all, [key, brush]) => withEntry(all, key, brush), view.value.brushes) }),
    toggle: (row) => tick([row], !ticked.value.has(row)),
    toggleLog: (key) => update({ logs: withEntry(view.value.logs, key, !logs.value.has(key)) }),
  }
}
