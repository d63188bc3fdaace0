/** Curves that are asked for as soon as a page opens: a rule need not be known as runs before. */

import { computed, ref } from 'vue'
import { onChanges } from '@/base/api/live'
import { axisTag } from '@/boards/workspace/scalars/chartFields'
import { baselineOf } from '@/boards/workspace/scalars/derived/derivedCharts'
import type { ScalarView } from '@/boards/workspace/scalars/scalarView'
import {
  fetchCurves,
  isGrouped,
  type Comparison,
  type ComparedQuery,
  type CurveQuery,
  type Look,
} from './api'
import { showsSuperseded } from '@/board/tags/tagView'
import { lookOf, ruleOf } from './comparedRuns'

/** Of one curve, and on the screen over all curves; more only take time. */
const MAX_POINTS = 1000
const MOST_POINTS = 200_000

/** Matches every name with nothing, so that all runs are one group. */
const ALL = '^'

const NO_LOOK: Look = { groupBy: '', groupPattern: '', colourBy: '', dashBy: '', facetBy: '' }

/** Runs on top of a band at both ends. */
const OUTERMOST = 2

/** How a view wants the curves of a tag; `isBand`: one band for all runs that look alike. */
export function curveQuery(
  view: ScalarView,
  tag: string,
  { isBand, withSuperseded }: { readonly isBand: boolean; readonly withSuperseded: boolean },
): CurveQuery {
  const grouped = isGrouped(view)
  return {
    tag,
    axis: axisTag(view.axis) ?? view.axis,
    centre: grouped ? view.centre : isBand ? 'median' : '',
    band: grouped ? view.band : isBand ? 'p10p90' : '',
    look: grouped ? lookOf(view) : isBand ? { ...lookOf(view), groupPattern: ALL } : NO_LOOK,
    maxPoints: MAX_POINTS,
    mostPoints: MOST_POINTS,
    smoothing: view.smoothing,
    withSuperseded,
    outermost: isBand && !grouped ? OUTERMOST : 0,
    baseline: baselineOf(view, tag, axisTag(view.axis) ?? ''),
  }
}

const keyOf = ({
  tag,
  axis,
  centre,
  band,
  look,
  maxPoints,
  mostPoints,
  smoothing,
  withSuperseded,
  outermost,
  baseline,
}: CurveQuery): string =>
  JSON.stringify([
    tag,
    axis,
    centre,
    band,
    look,
    maxPoints,
    mostPoints,
    smoothing,
    withSuperseded,
    outermost,
    baseline,
  ])

/** When what is known by now has been drawn. */
const afterFrame = (then: () => void): void => void requestAnimationFrame(() => requestAnimationFrame(then))

/** More charts are not in view at first. */
const MOST_TAGS = 2

export class CurvePrefetch {
  private readonly begun = new Map<string, Promise<Comparison | null>>()
  private readonly running = ref(0)
  /** What can wait comes after the curves. */
  readonly isOver = computed(() => this.running.value === 0)

  constructor() {
    // Nobody would be told of what changes between here and the chart.
    onChanges(() => this.begun.clear())
  }

  /** Ask for the curves of a view that compares what a rule finds, those of ticked tags. */
  begin(view: ScalarView, signal?: AbortSignal): void {
    if (!view.isByRule || (view.runs?.length ?? 0) > 0) return
    for (const tag of (view.tags ?? []).slice(0, MOST_TAGS)) {
      // Of a rule nobody knows yet how many runs it finds; many is what takes time.
      const query = curveQuery(view, tag, {
        isBand: !isGrouped(view) && view.drawing !== 'lines',
        withSuperseded: showsSuperseded(view, tag),
      })
      // What fails is asked for again by whoever needs it, and told there.
      const answer = fetchCurves(
        { rule: ruleOf(view.rule), without: view.without },
        query,
        null,
        signal,
      ).catch(() => null)
      this.running.value++
      this.begun.set(
        keyOf(query),
        answer.finally(() => afterFrame(() => this.running.value--)),
      )
    }
  }

  /** The answer to a query, once, if it was begun and has exactly the runs that are wanted, or besides only such without the tag. */
  async take(query: ComparedQuery): Promise<Comparison | null> {
    const key = keyOf(query)
    const found = await this.begun.get(key)
    this.begun.delete(key)
    if (!found) return null
    const wanted = new Set(query.runs)
    const own = found.runs.filter((run) => wanted.has(run))
    // A rule also finds runs without scalars, which nobody selects.
    const others = found.runs.length - own.length
    return others <= found.without &&
      own.length === query.runs.length &&
      own.every((run, at) => run === query.runs[at])
      ? { ...found, runs: own, without: found.without - others }
      : null
  }
}
