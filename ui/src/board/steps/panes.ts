/** The series of a card side by side: one pane for each run, and for each tag and source of a run where it has several. */

import { t } from '@/i18n'
import { framesOf, type Frames, type Stepped } from './frames'

export interface Pane<T extends Stepped> {
  /** Tells the panes of a card apart, and is the same for a run in every card. */
  readonly key: string
  readonly run: string
  readonly tag: string
  readonly source: string
  /** As of series. */
  readonly replaced: number
  readonly name: string
  readonly frames: Frames<T>
}

interface Series<T> {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly replaced?: number
  readonly items: readonly T[]
}

export const paneKey = (run: string, source: string, replaced = 0): string =>
  [run, ...(source === '' ? [] : [source]), ...(replaced > 0 ? [`superseded ${replaced}`] : [])].join(' ')

/** What tells superseded values apart in names; nothing for the newest. */
export const replacedText = (replaced = 0): readonly string[] =>
  replaced > 0 ? [t.value.replacedValues(replaced)] : []

/** In the order of `runs`; series of other runs, left over from an earlier choice, are not shown. */
export function panesOf<T extends Stepped>(
  series: readonly Series<T>[],
  runs: readonly string[],
  names: ReadonlyMap<string, string>,
): readonly Pane<T>[] {
  const order = new Map(runs.map((run, i) => [run, i]))
  const ordered = series.filter(({ run }) => order.has(run))
  const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
  return ordered
    .sort(
      (a, b) =>
        order.get(a.run)! - order.get(b.run)! ||
        compare(a.tag, b.tag) ||
        compare(a.source, b.source) ||
        (a.replaced ?? 0) - (b.replaced ?? 0),
    )
    .map(({ run, tag, source, replaced = 0, items }) => {
      const hasTags = ordered.some((other) => other.run === run && other.tag !== tag)
      const own = [...(hasTags ? [tag] : []), ...(source === '' ? [] : [source])]
      return {
        key: paneKey(run, own.join(' '), replaced),
        run,
        tag,
        source,
        replaced,
        name: [names.get(run) ?? run, ...own, ...replacedText(replaced)].join(' · '),
        frames: framesOf(items),
      }
    })
}
