import type * as rest from '@rest'
import { columnOf, numberOf } from '@/base/api/jsonNumbers'
import { fetchSeries, type SeriesQuery } from '@/base/api/seriesBatching'
import type { HistogramSeries } from '@/plot/histogram/histogram'

/** Whether all of a chart was logged at one step, more than once: by default that is shown only of what has no steps. */
export const isWithoutSteps = (series: readonly Pick<HistogramSeries, 'items'>[]): boolean =>
  series.some(({ items }) => items.length > 1) &&
  series.every(({ items }) => items.every(({ step }) => step === items[0]!.step))

export interface HistogramQuery {
  readonly runs: readonly string[]
  readonly tag: string
  /** At most so many steps of each run; all when left out. */
  readonly maxSteps?: number
  /** First and last step, all when left out. */
  readonly steps?: readonly [number, number] | null
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

export function histogramSeriesOf(series: rest.HistogramSeries): HistogramSeries {
  const readable = series.items.filter((item) => item.edges !== null && item.counts !== null)
  return {
    run: series.run,
    tag: series.tag,
    source: series.source,
    totalSteps: series.total_steps,
    superseded: series.superseded ?? 0,
    startTime: numberOf(series.items[0]?.wall_time ?? 0),
    errors: series.items.flatMap(({ error }) => (error === undefined ? [] : [error])),
    items: readable.map((item) => ({
      step: item.step,
      wall: numberOf(item.wall_time),
      count: numberOf(item.count),
      min: numberOf(item.min),
      max: numberOf(item.max),
      sum: numberOf(item.sum),
      edges: columnOf(item.edges ?? []),
      counts: columnOf(item.counts ?? []),
      nan: numberOf(item.nan),
      posInf: numberOf(item.pos_inf),
      negInf: numberOf(item.neg_inf),
    })),
  }
}

export async function fetchHistograms(
  { runs, tag, maxSteps, steps, withSuperseded }: HistogramQuery,
  signal?: AbortSignal,
): Promise<readonly HistogramSeries[]> {
  const params = { run: runs, tag: [tag], max_steps: maxSteps, resume: withSuperseded ? 'all' : undefined }
  if (!steps) return ask(params, signal)
  // Times count from the first step, also where only later ones are shown.
  const [series, whole] = await Promise.all([
    ask({ ...params, from_step: steps[0], to_step: steps[1] }, signal),
    ask({ ...params, max_steps: 2 }, signal),
  ])
  const starts = new Map(whole.map(({ run, source, startTime }) => [`${run}\n${source}`, startTime]))
  return series.map((each) => ({
    ...each,
    startTime: starts.get(`${each.run}\n${each.source}`) ?? each.startTime,
  }))
}

async function ask(query: SeriesQuery, signal?: AbortSignal): Promise<readonly HistogramSeries[]> {
  const series = await fetchSeries('histograms', query, signal)
  return series.map(histogramSeriesOf)
}
