/** What a sheet shows: columns, rows, ticks and colours, from its view and the data. */

import { computed, watch, type ComputedRef } from 'vue'
import { chosenRuns } from '@/base/selection'
import { chartColours } from '@/base/theme'
import { withEntry } from '@/base/url/address'
import type { ViewState } from '@/base/url/useView'
import { isSpread, kept, type AxisScale, type Brush } from './axes/axisTable'
import { colouring, type Colouring } from './axes/rowColours'
import { inOrder, sorted, type Sheet, type SheetColumn, type SheetRow } from './sheet'
import type { SheetView } from './sheetView'

export interface SheetBoard {
  readonly sheet: ComputedRef<Sheet>
  readonly shownKeys: ComputedRef<ReadonlySet<string>>
  /** In the order of the table. */
  readonly shown: ComputedRef<readonly SheetColumn[]>
  /** In the order that people gave the axes. */
  readonly axes: ComputedRef<readonly SheetColumn[]>
  /** 1 for rows that pass the filters. */
  readonly mask: ComputedRef<Uint8Array>
  readonly rows: ComputedRef<readonly number[]>
  readonly ticked: ComputedRef<ReadonlySet<number>>
  /** The same in the order of the table, then those that filters leave out. */
  readonly tickedRows: ComputedRef<readonly SheetRow[]>
  /** How the numbers of each column are spread over their axis. */
  readonly scales: ComputedRef<ReadonlyMap<string, AxisScale>>
  readonly colourColumn: ComputedRef<SheetColumn | null>
  readonly colours: ComputedRef<Colouring>
  brush(key: string, brush: Brush | null): void
  brushAll(brushes: readonly (readonly [string, Brush | null])[]): void
  tick(rows: readonly number[], isOn: boolean): void
  toggle(row: number): void
  setScale(key: string, scale: AxisScale): void
}

export interface SheetSource {
  readonly sheet: ComputedRef<Sheet>
  /** Every row there is, also those that a search leaves out. */
  readonly allRows: ComputedRef<readonly SheetRow[]>
  /** The keys of the columns that are shown when nobody has said so. */
  shownAtFirst(columns: readonly SheetColumn[]): readonly string[]
  /** The group of columns that are results rather than reasons. */
  readonly results: string
  /** Groups of columns that are neither, and so have no axes. */
  readonly plain: readonly string[]
}

const filled = ({ values }: SheetColumn): number =>
  values.reduce<number>((sum, cell) => sum + Number(cell !== null), 0)

/** The column with the most values, the first of those that have as many. */
const fullest = (columns: readonly SheetColumn[]): SheetColumn | null =>
  columns.reduce<SheetColumn | null>(
    (best, column) => (best === null || filled(column) > filled(best) ? column : best),
    null,
  )

export function useSheetBoard<V extends SheetView>(
  { view, update }: ViewState<V>,
  source: SheetSource,
): SheetBoard {
  const { sheet, allRows } = source
  const change = (patch: Partial<SheetView>): void => update(patch as Partial<V>)
  const shownKeys = computed<ReadonlySet<string>>(
    () => new Set(view.value.columns ?? source.shownAtFirst(sheet.value.columns)),
  )
  const shown = computed(() => sheet.value.columns.filter(({ key }) => shownKeys.value.has(key)))
  const axes = computed(() => {
    const byKey = new Map(
      shown.value.filter(({ group }) => !source.plain.includes(group)).map((column) => [column.key, column]),
    )
    return inOrder([...byKey.keys()], view.value.order).map((key) => byKey.get(key)!)
  })
  // Apart from the rest of the view: who ticks a row still points at it.
  const brushes = computed(() => view.value.brushes)
  const mask = computed(() => kept(sheet.value.columns, brushes.value, sheet.value.rows.length))
  const rows = computed(() => sorted(sheet.value, mask.value, view.value.sort))

  // A board that says nothing about runs begins with those chosen on the others.
  const chosen = computed(() => new Set(view.value.runs ?? chosenRuns.value ?? []))
  const isTicked = ({ runs }: SheetRow): boolean => runs.some((run) => chosen.value.has(run))
  const ticked = computed<ReadonlySet<number>>(
    () => new Set(sheet.value.rows.flatMap((row, at) => (isTicked(row) ? [at] : []))),
  )
  const tickedRows = computed(() =>
    [...new Set([...rows.value.filter((at) => ticked.value.has(at)), ...ticked.value])].map(
      (at) => sheet.value.rows[at]!,
    ),
  )
  watch(
    () => view.value.runs,
    (runs) => {
      if (runs !== null) chosenRuns.value = runs.length > 0 ? runs : null
    },
    { immediate: true },
  )

  function tick(changed: readonly number[], isOn: boolean): void {
    const runs = new Set(allRows.value.flatMap((row) => (isTicked(row) ? row.runs : [])))
    for (const at of changed) for (const run of sheet.value.rows[at]!.runs) runs[isOn ? 'add' : 'delete'](run)
    change({ runs: [...runs] })
  }

  const scales = computed<ReadonlyMap<string, AxisScale>>(
    () =>
      new Map(
        sheet.value.columns.map((column) => [
          column.key,
          view.value.scales.get(column.key) ?? (isSpread(column) ? 'log' : 'linear'),
        ]),
      ),
  )

  const colourColumn = computed(() => {
    if (view.value.colour === '') return null
    const results = axes.value.filter(({ group }) => group === source.results)
    return (
      sheet.value.columns.find(({ key }) => key === view.value.colour) ??
      fullest(results) ??
      axes.value[0] ??
      null
    )
  })
  const colours = computed(() => {
    const { series, accent, axis } = chartColours.value
    const column = colourColumn.value
    return colouring(column, sheet.value.rows.length, (column && scales.value.get(column.key)) ?? 'linear', {
      series,
      plain: accent,
      missing: axis,
    })
  })

  return {
    sheet,
    shownKeys,
    shown,
    axes,
    mask,
    rows,
    ticked,
    tickedRows,
    scales,
    colourColumn,
    colours,
    tick,
    brush: (key, brush) => change({ brushes: withEntry(view.value.brushes, key, brush) }),
    brushAll: (brushes) =>
      change({
        brushes: brushes.reduce((all, [key, brush]) => withEntry(all, key, brush), view.value.brushes),
      }),
    toggle: (row) => tick([row], !ticked.value.has(row)),
    setScale: (key, scale) => change({ scales: withEntry(view.value.scales, key, scale) }),
  }
}
