/** What the drawings of a sheet show: axes, filters, ticks and colours, from its view and the data. */

import { computed, type ComputedRef } from 'vue'
import { chartColours } from '@/base/theme'
import { withEntry } from '@/base/url/address'
import type { ViewState } from '@/base/url/useView'
import { isSpread, kept, type AxisScale, type Brush } from './axes/axisTable'
import { colouring, type Colouring } from './axes/rowColours'
import { inOrder, type Sheet, type SheetColumn } from './sheet'
import type { SheetView } from './sheetView'

export interface SheetBoard {
  readonly sheet: ComputedRef<Sheet>
  /** In the order that people gave the axes. */
  readonly axes: ComputedRef<readonly SheetColumn[]>
  /** 1 for rows that pass the filters. */
  readonly mask: ComputedRef<Uint8Array>
  readonly ticked: ComputedRef<ReadonlySet<number>>
  /** How the numbers of each column are spread over their axis. */
  readonly scales: ComputedRef<ReadonlyMap<string, AxisScale>>
  readonly colourColumn: ComputedRef<SheetColumn | null>
  readonly colours: ComputedRef<Colouring>
  brush(key: string, brush: Brush | null): void
  brushAll(brushes: readonly (readonly [string, Brush | null])[]): void
  toggle(row: number): void
  setScale(key: string, scale: AxisScale): void
}

export interface SheetSource {
  /** With the shown columns. */
  readonly sheet: ComputedRef<Sheet>
  /** The selected runs. */
  readonly selected: ComputedRef<ReadonlySet<string>>
  select(runs: readonly string[], isOn: boolean): void
  /** The group of columns that are results rather than reasons. */
  readonly results: string
  /** The column that colours unless somebody selects another; without it the fullest result. */
  main(): string | null
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
  { sheet, selected, select, results, main, plain }: SheetSource,
): SheetBoard {
  const change = (patch: Partial<SheetView>): void => update(patch as Partial<V>)
  const axes = computed(() => {
    const byKey = new Map(
      sheet.value.columns.filter(({ group }) => !plain.includes(group)).map((column) => [column.key, column]),
    )
    return inOrder([...byKey.keys()], view.value.order).map((key) => byKey.get(key)!)
  })
  // Apart from the rest of the view: who ticks a row still points at it.
  const brushes = computed(() => view.value.brushes)
  const mask = computed(() => kept(sheet.value.columns, brushes.value, sheet.value.rows.length))

  const isTicked = (at: number): boolean => sheet.value.rows[at]!.runs.some((run) => selected.value.has(run))
  const ticked = computed<ReadonlySet<number>>(
    () => new Set(sheet.value.rows.flatMap((_, at) => (isTicked(at) ? [at] : []))),
  )

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
    const named = view.value.colour ?? main()
    const ofResults = axes.value.filter(({ group }) => group === results)
    return sheet.value.columns.find(({ key }) => key === named) ?? fullest(ofResults) ?? axes.value[0] ?? null
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
    axes,
    mask,
    ticked,
    scales,
    colourColumn,
    colours,
    brush: (key, brush) => change({ brushes: withEntry(view.value.brushes, key, brush) }),
    brushAll: (brushes) =>
      change({
        brushes: brushes.reduce((all, [key, brush]) => withEntry(all, key, brush), view.value.brushes),
      }),
    toggle: (row) => select(sheet.value.rows[row]!.runs, !isTicked(row)),
    setScale: (key, scale) => change({ scales: withEntry(view.value.scales, key, scale) }),
  }
}
