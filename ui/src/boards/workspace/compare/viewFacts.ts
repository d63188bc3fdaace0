/** What a reader of a report has to know of the view it was made of. */

import { t } from '@/i18n'
import { formatCount } from '@/base/numbers'
import type { Fact } from '@/board/report/report'
import { w as lineageWords } from '@/boards/workspace/lineage/words'
import { axisTag } from '@/boards/workspace/scalars/chartFields'
import type { ScalarView } from '@/boards/workspace/scalars/scalarView'
import type { LookColumn } from './lookColumns'
import { isGrouped } from './queries/api'
import { w } from './words'

const AXES = { step: 'step', relative: 'relativeTime', absolute: 'absoluteTime' } as const

/** How many runs, and all settings that decide what the curves mean. */
export function viewFacts(view: ScalarView, runs: number, columns: readonly LookColumn[]): readonly Fact[] {
  const named = (name: string): string =>
    lineageWords.value.columns[name] ?? columns.find((column) => column.name === name)?.label ?? name
  const middle = view.centre === 'mean' ? w.value.mean : t.value.median
  const facts: (readonly [string, string | false])[] = [
    [t.value.runs, formatCount(runs)],
    [
      w.value.groupBy,
      isGrouped(view) &&
        `${view.groupPattern || named(view.groupBy)} · ${middle} · ${w.value.bands[view.band]}`,
    ],
    [w.value.colourBy, view.colourBy !== '' && named(view.colourBy)],
    [w.value.dashBy, view.dashBy !== '' && named(view.dashBy)],
    [w.value.facetBy, view.facetBy !== '' && named(view.facetBy)],
    [
      t.value.horizontalAxis,
      view.axis !== 'step' && (axisTag(view.axis) ?? t.value[AXES[view.axis as keyof typeof AXES]]),
    ],
    [t.value.smoothing, view.smoothing > 0 && String(view.smoothing)],
  ]
  return facts.filter((fact): fact is Fact => fact[1] !== false)
}
