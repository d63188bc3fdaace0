/** Which card draws a tag: curves of a few runs are loaded as they are, those of many are computed by the service. */

import type { Component, ComputedRef } from 'vue'
import type { ViewState } from '@/base/url/useView'
import type { CardHandlers } from '@/board/tags/useTagBoard'
import CompareCard from '@/boards/workspace/compare/CompareCard.vue'
import type { Looks } from '@/boards/workspace/compare/looks'
import { isGrouped, type CacheSummary, type Looking } from '@/boards/workspace/compare/queries/api'
import type { CurvePrefetch } from '@/boards/workspace/compare/queries/prefetch'
import { axisTag } from './chartFields'
import ScalarCard, { type CardLooks } from './ScalarCard.vue'
import { baselineOf, needsBaseline, titleOf } from './derived/derivedCharts'
import NoBaselineCard from './derived/NoBaselineCard.vue'
import { useScalarCharts } from './scalarCharts'
import type { ScalarView } from './scalarView'

/** So many runs are drawn from their full curves, which zoom and smooth at once. */
const FEW_RUNS = 10
/** More lines than this are a hairball. */
const MOST_LINES = 50

export interface CurveRuns {
  /** All that are selected, in order. */
  readonly ids: ComputedRef<readonly string[]>
  /** What decides how their curves look. */
  readonly looking: ComputedRef<ReadonlyMap<string, Looking>>
  readonly looks: ComputedRef<Looks>
}

export interface CurveCard {
  readonly is: Component
  readonly props: Readonly<Record<string, unknown>>
}

const NO_LOOKING: Looking = { group: '', colour: '', dash: '', facet: '' }

/** Whether a card with so many runs is one band. */
export const isBand = (view: ScalarView, runs: number): boolean =>
  !isGrouped(view) && (view.drawing === 'band' || (view.drawing === 'auto' && runs > MOST_LINES))

export function useCurveCards(
  state: ViewState<ScalarView>,
  { ids, looking, looks }: CurveRuns,
  {
    early,
    onCache,
    colourOf = () => null,
  }: {
    readonly early?: CurvePrefetch
    readonly onCache?: (cache: CacheSummary) => void
    /** Colours that somebody else decides. */
    readonly colourOf?: (run: string) => string | null
  } = {},
) {
  const { view } = state
  const chartOf = useScalarCharts(state)

  const isPlain = (runs: number): boolean =>
    runs <= FEW_RUNS &&
    !isGrouped(view.value) &&
    view.value.drawing !== 'band' &&
    axisTag(view.value.axis) === null &&
    view.value.facetBy === ''

  function cardLooks(): CardLooks | null {
    if (view.value.colourBy === '' && view.value.dashBy === '') return null
    const { colourOf, dashOf, legend } = looks.value
    return {
      styleOf(run) {
        const curve = { run, ...(looking.value.get(run) ?? NO_LOOKING) }
        return { colour: colourOf(curve), dash: dashOf(curve) }
      },
      legend,
    }
  }

  return {
    chartOf,
    /** `card` is what the board gives the card of its tag. */
    cardOf(card: CardHandlers, nonFinite: number): CurveCard {
      const baseline = baselineOf(view.value, card.tag)
      if (needsBaseline(card.tag) && baseline === undefined)
        return { is: NoBaselineCard, props: { ...card, title: titleOf(card.tag, view.value.metrics) } }
      const shared = { ...card, ...chartOf(card.tag), nonFinite, baseline }
      if (isPlain(card.runs.length))
        return {
          is: ScalarCard,
          props: {
            ...shared,
            title: titleOf(card.tag, view.value.metrics),
            tags: [{ tag: card.tag, side: 'left' }],
            canPin: true,
            looks: cardLooks(),
            ownColour: colourOf,
          },
        }
      return {
        is: CompareCard,
        props: {
          ...shared,
          title: titleOf(card.tag, view.value.metrics),
          view: view.value,
          allRuns: ids.value,
          looking: looking.value,
          looks: looks.value,
          isBand: isBand(view.value, card.runs.length),
          early,
          onCache,
        },
      }
    },
  }
}
