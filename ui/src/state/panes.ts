/** The series of a card side by side: one pane for each run, and for each source of a run. */

import { framesOf, type Frames, type Stepped } from '@/charts/frames'

export interface Pane<T extends Stepped> {
  /** Tells the panes of a card apart, and is the same for a run in every card. */
  readonly key: string
  readonly run: string
  readonly source: string
  readonly name: string
  readonly frames: Frames<T>
}

interface Series<T> {
  readonly run: string
  readonly source: string
  readonly items: readonly T[]
}

export const paneKey = (run: string, source: string): string => (source === '' ? run : `${run} ${source}`)

/** In the order of `runs`; series of other runs, left over from an earlier choice, are not shown. */
export function panesOf<T extends Stepped>(series: readonly Series<T>[], runs: readonly string[], names: ReadonlyMap<string, string>): readonly Pane<T>[] {
  const order = new Map(runs.map((run, i) => [run, i]))
  return series
    .filter(({ run }) => order.has(run))
    .sort((a, b) => order.get(a.run)! - order.get(b.run)! || (a.source < b.source ? -1 : 1))
    .map(({ run, source, items }) => {
      const name = names.get(run) ?? run
      return { key: paneKey(run, source), run, source, name: source === '' ? name : `${name} · ${source}`, frames: framesOf(items) }
    })
}
