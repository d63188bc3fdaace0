/** The charts that the layouts of several runs describe, as one list. */

import { computed, ref, type Ref } from 'vue'
import { fetchChartLayouts, type ChartLayouts, type Margin } from './api'
import type { TagGroup } from '@/base/groups'
import type { TagSource } from '@/board/tags/itemTags'
import { useItems } from '@/base/api/items'
import type { Matches } from './patternMatching'
import type { BoardTag } from '@/board/tags/useTagBoard'

export interface CustomChart extends BoardTag {
  readonly category: string
  readonly title: string
  readonly isClosed: boolean
  readonly patterns: readonly string[]
  readonly margins: readonly Margin[]
}

/** Charts of the same category and title are one: of one run, what it said last; of several runs, all they say. */
export function joinCharts(layouts: readonly ChartLayouts[]): readonly CustomChart[] {
  const joined = new Map<string, CustomChart>()
  for (const { run, items } of layouts) {
    const own = new Map<string, CustomChart>()
    for (const { title: category, collapsed, charts } of items.flatMap(
      ({ categories }) => categories ?? [],
    )) {
      for (const { title, tags, margins } of charts) {
        const chart = {
          tag: nameOf(category, title),
          category,
          title,
          isClosed: collapsed,
          patterns: [...new Set(tags)],
          margins,
          runs: [run],
          lastStep: 0,
        }
        own.set(JSON.stringify([category, title]), chart)
      }
    }
    for (const [key, chart] of own) {
      const there = joined.get(key)
      joined.set(key, there ? both(there, chart) : chart)
    }
  }
  return withOwnNames([...joined.values()])
}

const nameOf = (category: string, title: string): string => (category ? `${category}/${title}` : title)

/** Titles may have slashes, too. */
function withOwnNames(charts: readonly CustomChart[]): readonly CustomChart[] {
  const taken = new Map<string, number>()
  return charts.map((chart) => {
    const before = taken.get(chart.tag) ?? 0
    taken.set(chart.tag, before + 1)
    return before === 0 ? chart : { ...chart, tag: `${chart.tag} (${before + 1})` }
  })
}

const sameMargin = (a: Margin, b: Margin): boolean =>
  a.value === b.value && a.lower === b.lower && a.upper === b.upper

const both = (one: CustomChart, other: CustomChart): CustomChart => ({
  ...one,
  runs: [...new Set([...one.runs, ...other.runs])],
  patterns: [...new Set([...one.patterns, ...other.patterns])],
  margins: [
    ...one.margins,
    ...other.margins.filter((margin) => !one.margins.some((known) => sameMargin(known, margin))),
  ],
})

/** In the order of the layout: people put first what matters most. */
export function groupCharts(charts: readonly CustomChart[]): readonly TagGroup[] {
  const groups = new Map<string, string[]>()
  for (const { category, tag } of charts) groups.set(category, [...(groups.get(category) ?? []), tag])
  return [...groups].map(([prefix, tags]) => ({ prefix, tags }))
}

export interface CustomCharts extends TagSource<CustomChart> {
  /** Why layouts could not be read. */
  readonly damages: Readonly<Ref<readonly string[]>>
}

export function useCustomCharts(runs: () => readonly string[]): CustomCharts {
  const keyOf = (ids: readonly string[]): string => ids.join('\n')
  const answered = ref('') // the runs that were last asked for and have answered
  const fetch = async (
    query: { readonly runs: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly ChartLayouts[]> => {
    const found = await fetchChartLayouts(query, signal)
    answered.value = keyOf(query.runs)
    return found
  }
  const layouts = useItems(
    fetch,
    () => ({ runs: runs() }),
    () => true,
  )
  return {
    tags: computed(() => joinCharts(layouts.series.value)),
    isLoaded: computed(() => runs().length === 0 || answered.value === keyOf(runs())),
    error: layouts.error,
    rebuilding: layouts.rebuilding,
    total: ref(null),
    retry: layouts.retry,
    damages: computed(() =>
      layouts.series.value.flatMap(({ items }) =>
        items.flatMap(({ error }) => (error === undefined ? [] : [error])),
      ),
    ),
  }
}

/** A tag that a layout names and no run has, or a pattern that cannot be tried. */
export interface Unmatched {
  readonly tag: string
  readonly problem: 'missing' | 'invalid' | 'slow'
}

/** What of a chart can be drawn. */
export interface ChartContent {
  /** Tags that have a line. */
  readonly lines: readonly string[]
  readonly margins: readonly Margin[]
  readonly unmatched: readonly Unmatched[]
  /** Whether every pattern was tried. */
  readonly isKnown: boolean
}

/** `known` are the scalars there are, `matches` those of them that patterns match. */
export function contentOf(
  { patterns, margins }: CustomChart,
  known: ReadonlySet<string>,
  matches: Matches,
): ChartContent {
  const lines = new Set<string>()
  const unmatched: Unmatched[] = []
  for (const tag of patterns) {
    const match = matches.get(tag)
    if (typeof match === 'object') match.forEach((name) => lines.add(name))
    if (typeof match === 'string') unmatched.push({ tag, problem: match })
    else if (match?.length === 0) unmatched.push({ tag, problem: 'missing' })
  }
  const missing = new Set<string>()
  for (const { value, lower, upper } of margins) {
    if (known.has(value)) lines.add(value)
    for (const tag of [value, lower, upper]) if (!known.has(tag)) missing.add(tag)
  }
  return {
    lines: [...lines],
    margins: margins.filter(({ value, lower, upper }) =>
      [value, lower, upper].every((tag) => known.has(tag)),
    ),
    unmatched: [...unmatched, ...[...missing].map((tag) => ({ tag, problem: 'missing' as const }))],
    isKnown: patterns.every((pattern) => matches.has(pattern)),
  }
}
