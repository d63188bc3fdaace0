/** Curves that are asked for as soon as a page opens: a rule need not be known as runs before. */

import { computed, ref } from 'vue'
import { fetchCurves, isGrouped, type Comparison, type ComparedQuery, type CurveQuery, type Look } from '@/api/compare'
import { lookOf, ruleOf } from './comparedRuns'
import { axisTag, type CompareView } from './compareView'
import { onChanges } from './live'

/** Of one curve, and on the screen over all curves; more only take time. */
const MAX_POINTS = 1000
const MOST_POINTS = 200_000

const NO_LOOK: Look = { groupBy: '', groupPattern: '', colourBy: '', dashBy: '', facetBy: '' }

/** How a view wants the curves of a tag. */
export function curveQuery(view: CompareView, tag: string): CurveQuery {
  const grouped = isGrouped(view)
  return {
    tag, axis: axisTag(view.axis) ?? view.axis, centre: grouped ? view.centre : '', band: grouped ? view.band : '', look: grouped ? lookOf(view) : NO_LOOK,
    maxPoints: MAX_POINTS, mostPoints: MOST_POINTS, smoothing: view.smoothing,
  }
}

const keyOf = ({ tag, axis, centre, band, look, maxPoints, mostPoints, smoothing }: CurveQuery): string =>
  JSON.stringify([tag, axis, centre, band, look, maxPoints, mostPoints, smoothing])

/** When what is known by now has been drawn. */
const afterFrame = (then: () => void): void => void requestAnimationFrame(() => requestAnimationFrame(then))

/** More charts are not in view at first. */
const MOST_TAGS = 2

export class HeadStart {
  private readonly begun = new Map<string, Promise<Comparison | null>>()
  private readonly running = ref(0)
  /** What can wait comes after the curves. */
  readonly isOver = computed(() => this.running.value === 0)

  constructor() {
    // Nobody would be told of what changes between here and the chart.
    onChanges(() => this.begun.clear())
  }

  /** Ask for the curves of a view that compares what a rule finds, those of ticked tags. */
  begin(view: CompareView, signal?: AbortSignal): void {
    if (!view.isByRule || (view.runs?.length ?? 0) > 0) return
    for (const tag of (view.tags ?? []).slice(0, MOST_TAGS)) {
      const query = curveQuery(view, tag)
      // What fails is asked for again by whoever needs it, and told there.
      const answer = fetchCurves({ rule: ruleOf(view.rule), without: view.without }, query, null, signal).catch(() => null)
      this.running.value++
      this.begun.set(keyOf(query), answer.finally(() => afterFrame(() => this.running.value--)))
    }
  }

  /** The answer to a query, once, if it was begun and has exactly the runs that are wanted. */
  async take(query: ComparedQuery): Promise<Comparison | null> {
    const key = keyOf(query)
    const found = await this.begun.get(key)
    this.begun.delete(key)
    return found && found.runs.length === query.runs.length && found.runs.every((run, at) => run === query.runs[at]) ? found : null
  }
}
