import type { CheckedExpression, ScalarSeries, SharedScalarTag, SharedScalarTagPage } from '@rest'
import type { Curve } from '@/plot/curve'
import { apiUrl, askBlob, askJson } from '@/base/api/client'
import { columnOf } from '@/base/api/jsonNumbers'
import { fetchSeries } from '@/base/api/seriesBatching'
import { isDerived } from './derived/derivedCharts'

export type { CheckedExpression }
export type ScalarTag = SharedScalarTag
/** The first tags by name; `more` when there are others. */
export type ScalarTagPage = SharedScalarTagPage

export async function fetchScalarTags(
  runs: readonly string[],
  search = '',
  signal?: AbortSignal,
): Promise<ScalarTagPage> {
  return askJson('scalars/tags', search === '' ? { run: runs } : { run: runs, search }, signal)
}

export interface ScalarQuery {
  readonly runs: readonly string[]
  readonly tag: string
  readonly fromStep?: number
  readonly toStep?: number
  readonly maxPoints: number
  readonly resume: 'latest' | 'all'
  readonly smoothing: number
  /** Of an expression: the run that it subtracts. */
  readonly baseline?: string | undefined
}

export function curveOf(series: ScalarSeries): Curve {
  const walls = columnOf(series.wall_times)
  return {
    run: series.run,
    tag: series.tag,
    source: series.source ?? '',
    totalPoints: series.total_points,
    superseded: series.superseded ?? 0,
    hasSteps: series.has_steps ?? true,
    downsampled: series.downsampled,
    steps: columnOf(series.steps),
    walls,
    values: columnOf(series.values),
    smoothed: series.smoothed ? columnOf(series.smoothed) : null,
    starts: series.segments,
    startTime: Number(series.start_time ?? walls[0] ?? 0),
  }
}

export async function fetchCurves(query: ScalarQuery, signal?: AbortSignal): Promise<Curve[]> {
  const parameters = {
    run: query.runs,
    tag: [query.tag],
    from_step: query.fromStep,
    to_step: query.toStep,
    max_points: query.maxPoints,
    resume: query.resume === 'all' ? 'all' : undefined,
    smoothing: query.smoothing > 0 ? query.smoothing : undefined,
  }
  // What is wrong with an expression would refuse all that is asked for together with it.
  const series = isDerived(query.tag)
    ? (await askJson('scalars', { ...parameters, baseline: query.baseline }, signal)).series
    : await fetchSeries('scalars', parameters, signal)
  return series.map(curveOf)
}

/** What an expression names in these runs; refused with 400 and the place of the problem. */
export const checkExpression = (
  expression: string,
  runs: readonly string[],
  signal?: AbortSignal,
): Promise<CheckedExpression> => askJson('scalars/expression', { expression, run: runs }, signal)

const everyPoint = (
  runs: readonly string[],
  tags: readonly string[],
  resume: 'latest' | 'all',
  baseline?: string,
) => ({
  run: runs,
  tag: tags,
  max_points: 'all',
  resume: resume === 'all' ? 'all' : undefined,
  format: 'csv',
  baseline,
})

/** Where every point of the tags can be downloaded as a table, when the address is short enough to be one. */
export function csvUrl(
  runs: readonly string[],
  tags: readonly string[],
  resume: 'latest' | 'all',
  baseline?: string,
): string | null {
  const url = apiUrl('scalars', everyPoint(runs, tags, resume, baseline))
  return url.length <= 3000 ? url : null
}

export function fetchCsv(
  runs: readonly string[],
  tags: readonly string[],
  resume: 'latest' | 'all',
  baseline?: string,
): Promise<Blob> {
  return askBlob('scalars', everyPoint(runs, tags, resume, baseline))
}
