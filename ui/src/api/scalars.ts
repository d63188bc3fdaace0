import type { Curve } from './curves'
import { apiUrl, askBlob, askJson } from './client'

export interface ScalarTag {
  readonly tag: string
  readonly runs: readonly string[]
  readonly count: number
  readonly first_step: number
  readonly last_step: number
  readonly min: number | string | null
  readonly max: number | string | null
  readonly non_finite: number
}

export async function fetchScalarTags(runs: readonly string[], signal?: AbortSignal): Promise<readonly ScalarTag[]> {
  const answer = (await askJson('scalars/tags', { run: runs }, signal)) as { tags: readonly ScalarTag[] }
  return answer.tags
}

export interface ScalarQuery {
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  readonly fromStep?: number
  readonly toStep?: number
  readonly maxPoints: number
  readonly resume: 'latest' | 'all'
  readonly smoothing: number
}

/** JSON has no word for non-finite numbers, so they come as text. */
type JsonNumber = number | string

interface JsonSeries {
  readonly run: string
  readonly tag: string
  readonly source?: string
  readonly total_points: number
  readonly thinned: boolean
  readonly start_time?: JsonNumber
  readonly segments: readonly number[]
  readonly steps: readonly number[]
  readonly wall_times: readonly JsonNumber[]
  readonly values: readonly JsonNumber[]
  readonly smoothed?: readonly JsonNumber[]
}

const column = (numbers: readonly JsonNumber[]): Float64Array => Float64Array.from(numbers as readonly number[], Number)

export function curveOf(series: JsonSeries): Curve {
  const walls = column(series.wall_times)
  return {
    run: series.run,
    tag: series.tag,
    source: series.source ?? '',
    totalPoints: series.total_points,
    thinned: series.thinned,
    steps: column(series.steps),
    walls,
    values: column(series.values),
    smoothed: series.smoothed ? column(series.smoothed) : null,
    starts: series.segments,
    startTime: Number(series.start_time ?? walls[0] ?? 0),
  }
}

export async function fetchCurves(query: ScalarQuery, signal?: AbortSignal): Promise<Curve[]> {
  const answer = (await askJson(
    'scalars',
    {
      run: query.runs,
      tag: query.tags,
      from_step: query.fromStep,
      to_step: query.toStep,
      max_points: query.maxPoints,
      resume: query.resume === 'all' ? 'all' : undefined,
      smoothing: query.smoothing > 0 ? query.smoothing : undefined,
    },
    signal,
  )) as { series: readonly JsonSeries[] }
  return answer.series.map(curveOf)
}

const everyPoint = (runs: readonly string[], tags: readonly string[], resume: 'latest' | 'all') => ({
  run: runs,
  tag: tags,
  max_points: 'all',
  resume: resume === 'all' ? 'all' : undefined,
  format: 'csv',
})

/** Where every point of the tags can be downloaded as a table, when the address is short enough to be one. */
export function csvUrl(runs: readonly string[], tags: readonly string[], resume: 'latest' | 'all'): string | null {
  const url = apiUrl('scalars', everyPoint(runs, tags, resume))
  return url.length <= 3000 ? url : null
}

export function fetchCsv(runs: readonly string[], tags: readonly string[], resume: 'latest' | 'all'): Promise<Blob> {
  return askBlob('scalars', everyPoint(runs, tags, resume))
}
