/** Runs compared: which there are, their curves one by one or in groups, their values beside a baseline's. */

import { isDerived } from '@/boards/workspace/scalars/derived/derivedCharts'
import type {
  CandidateRun,
  CandidateRunList,
  ComparedValues,
  CurveCacheContent,
  CurveCacheUse,
  PackedComparison,
  PackedSeries,
  ReducedDifferences,
} from '@rest'
import { getJson, noteMissing, sendForBytes, sendJson, type Body } from '@/base/api/client'
import { unpack } from './comparedColumns'

/** By what runs are looked for; all that is given holds together. */
export interface RunRule {
  readonly query?: string
  readonly search?: string
  readonly pattern?: string
  readonly labels?: readonly string[]
}

/** The columns by which runs are grouped and told apart; empty: not at all. */
export interface Look {
  readonly groupBy: string
  readonly groupPattern: string
  readonly colourBy: string
  readonly dashBy: string
  readonly facetBy: string
}

export const isGrouped = ({ groupBy, groupPattern }: Pick<Look, 'groupBy' | 'groupPattern'>): boolean =>
  groupBy !== '' || groupPattern !== ''

/** What decides how a curve looks. */
export interface Looking {
  readonly group: string
  readonly colour: string
  readonly dash: string
  readonly facet: string
}

export type RunToCompare = CandidateRun
export type RunsToCompare = CandidateRunList
/** What the web process that answers holds ready. */
export type CacheSummary = CurveCacheUse
export type CompareCache = CurveCacheContent
/** A row of a run, or of a group with its runs. */
export type ComparedRow = ComparedValues
export type Named = ReducedDifferences

/** Empty texts are left out. */
const filled = (text: string): string | undefined => text || undefined

const lookOf = ({ groupBy, groupPattern, colourBy, dashBy, facetBy }: Look) => ({
  group_by: groupPattern ? undefined : filled(groupBy),
  group_pattern: filled(groupPattern),
  colour_by: filled(colourBy),
  dash_by: filled(dashBy),
  facet_by: filled(facetBy),
})

/** Runs that the rule finds, and those with the ids. */
export async function fetchRunsToCompare(
  rule: RunRule,
  runs: readonly string[],
  look: Look,
  signal?: AbortSignal,
): Promise<RunsToCompare> {
  return sendJson('post', 'compare/runs', { ...rule, runs, kind: 'scalars', ...lookOf(look) }, signal)
}

/** A curve of one run, or of a group: then it has no run, and `n` tells how many runs there are at each point. */
export interface ComparedCurve extends Looking {
  readonly tag: string
  readonly run: string
  readonly source: string
  /** Of a group. */
  readonly runs: readonly string[]
  /** Those of a group that end lowest and highest. */
  readonly outermost: readonly string[]
  readonly xs: Float64Array
  readonly values: Float64Array
  readonly smoothed: Float64Array | null
  readonly low: Float64Array | null
  readonly high: Float64Array | null
  readonly n: Float64Array | null
  readonly totalPoints: number
}

export interface Comparison {
  /** All that were compared. */
  readonly runs: readonly string[]
  readonly curves: readonly ComparedCurve[]
  readonly cache: CacheSummary | null
  /** Runs that do not have the tag. */
  readonly without: number
  /** Points that are not shown by default: newer ones have the same step. */
  readonly superseded: number
  /** No curve has steps, so that they stand at relative times where steps were asked for. */
  readonly isByTime: boolean
}

/** How the curves of one tag are to be. */
export interface CurveQuery {
  readonly tag: string
  /** As the service calls them: the tag of a scalar may be one. */
  readonly axis: string
  readonly look: Look
  readonly centre: string
  readonly band: string
  /** Of one curve, and of all together; undefined: no bound. */
  readonly maxPoints: number
  readonly mostPoints: number | undefined
  readonly smoothing: number
  /** Every point as it was written, not only the newest of each step. */
  readonly withSuperseded: boolean
  /** So many runs of a group that end lowest, and highest, are to be named. */
  readonly outermost: number
  /** The run that expressions subtract. */
  readonly baseline?: string | undefined
}

export interface ComparedQuery extends CurveQuery {
  readonly runs: readonly string[]
  readonly within: readonly [number, number] | null
}

type Columns = Readonly<Record<string, Float64Array | undefined>>

export function curveOf(
  {
    tag,
    run = '',
    source = '',
    runs = [],
    outermost = [],
    group = '',
    colour = '',
    dash = '',
    facet = '',
    total_points,
  }: Pick<PackedSeries, 'tag'> & Partial<PackedSeries>,
  columns: Columns,
): ComparedCurve {
  const xs = columns['x'] ?? new Float64Array()
  return {
    tag,
    run,
    source,
    runs,
    outermost,
    group,
    colour,
    dash,
    facet,
    xs,
    values: columns['values'] ?? new Float64Array(),
    smoothed: columns['smoothed'] ?? null,
    low: columns['low'] ?? null,
    high: columns['high'] ?? null,
    n: columns['n'] ?? null,
    totalPoints: total_points ?? xs.length,
  }
}

/** What is compared: runs by id, or all that a rule finds less some. */
export type Compared =
  { readonly runs: readonly string[] } | { readonly rule: RunRule; readonly without: readonly string[] }

/** Curves of more runs than this take the service long enough that charts come sooner one after the other. */
const MANY_RUNS = 500
const MANY_AT_ONCE = 2
const line: (() => void)[] = []
let atOnce = 0

/** Runs `work` when fewer than `MANY_AT_ONCE` others are under way. */
async function inLine<T>(work: () => Promise<T>): Promise<T> {
  if (atOnce < MANY_AT_ONCE) atOnce++
  else await new Promise<void>((go) => line.push(go))
  try {
    return await work()
  } finally {
    // Whoever is next takes the place over.
    const next = line.shift()
    if (next) next()
    else atOnce--
  }
}

export async function fetchCurves(
  compared: Compared,
  {
    tag,
    axis,
    look,
    centre,
    band,
    maxPoints,
    mostPoints,
    smoothing,
    withSuperseded,
    outermost,
    baseline,
  }: CurveQuery,
  within: ComparedQuery['within'],
  signal?: AbortSignal,
): Promise<Comparison> {
  // How single runs look is known without asking for their curves anew.
  const grouping = isGrouped(look)
    ? { ...lookOf(look), centre, band, outermost: outermost > 0 ? outermost : undefined }
    : {}
  const body: Body<'compare/scalars', 'post'> = {
    ...('rule' in compared ? { ...compared.rule, without: compared.without } : compared),
    tags: [tag],
    x: axis,
    ...grouping,
    max_points: maxPoints,
    most_points: mostPoints,
    smoothing: smoothing > 0 ? smoothing : undefined,
    resume: withSuperseded ? 'all' : undefined,
    baseline_run: baseline,
    from_x: within?.[0],
    to_x: within?.[1],
    format: 'binary',
  }
  const send = (): Promise<ArrayBuffer> => {
    signal?.throwIfAborted()
    return sendForBytes('compare/scalars', body, signal)
  }
  const isLarge = !('runs' in compared) || compared.runs.length > MANY_RUNS
  const { described, series } = unpack<PackedComparison>(await (isLarge ? inLine(send) : send()))
  noteMissing(signal, described.rebuilding ?? [])
  return {
    runs: described.runs.map(({ run }) => run),
    curves: described.series.map((each, at) => curveOf(each, series[at]!)),
    without: described.without[tag] ?? 0,
    cache: described.cache,
    superseded: described.superseded[tag] ?? 0,
    isByTime: described.by_time.includes(tag),
  }
}

export const fetchComparison = (
  { runs, within, ...query }: ComparedQuery,
  signal?: AbortSignal,
): Promise<Comparison> => fetchCurves({ runs }, query, within, signal)

export type Centre = NonNullable<Body<'compare/table', 'post'>['centre']>

export interface TableQuery {
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  readonly groupBy: string
  readonly groupPattern: string
  readonly centre: Centre
  readonly baseline: string
}

export async function fetchComparedTable(
  { runs, tags, groupBy, groupPattern, centre, baseline }: TableQuery,
  signal?: AbortSignal,
): Promise<readonly ComparedRow[]> {
  const body: Body<'compare/table', 'post'> = {
    runs,
    tags,
    group_by: groupPattern ? undefined : filled(groupBy),
    group_pattern: filled(groupPattern),
    centre,
    baseline: filled(baseline),
    // A group is no run.
    baseline_run:
      groupBy === '' && groupPattern === '' && tags.some(isDerived) ? filled(baseline) : undefined,
  }
  return (await sendJson('post', 'compare/table', body, signal)).rows
}

export const fetchCompareCache = (signal?: AbortSignal): Promise<CompareCache> =>
  getJson('compare/cache', {}, signal)
