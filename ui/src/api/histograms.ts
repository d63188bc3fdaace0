import { askJson } from './client'

/** What was logged at one step: `counts[i]` values between `edges[i]` and `edges[i + 1]`. */
export interface Histogram {
  readonly step: number
  readonly wall: number
  /** All values, also those that are not finite. */
  readonly count: number
  /** Of the finite values; NaN when there are none. */
  readonly min: number
  readonly max: number
  /** NaN where the format does not keep it. */
  readonly sum: number
  readonly edges: Float64Array
  readonly counts: Float64Array
  readonly nan: number
  readonly posInf: number
  readonly negInf: number
}

/** The histograms of one run and tag in order of logging. */
export interface HistogramSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly totalSteps: number
  /** Wall time of the first step. */
  readonly startTime: number
  readonly items: readonly Histogram[]
  /** Why steps are missing here: they could not be read. */
  readonly errors: readonly string[]
}

export interface HistogramQuery {
  readonly runs: readonly string[]
  readonly tag: string
  /** At most so many steps of each run; all when left out. */
  readonly maxSteps?: number
  /** First and last step, all when left out. */
  readonly steps?: readonly [number, number] | null
  /** Also what a resumed training wrote again. */
  readonly withOverwritten?: boolean
}

/** JSON has no word for non-finite numbers, so they come as text. */
type JsonNumber = number | string | null

interface JsonItem {
  readonly step: number
  readonly wall_time: JsonNumber
  readonly count: JsonNumber
  readonly min: JsonNumber
  readonly max: JsonNumber
  readonly sum: JsonNumber
  readonly edges: readonly JsonNumber[] | null
  readonly counts: readonly JsonNumber[] | null
  readonly nan: JsonNumber
  readonly pos_inf: JsonNumber
  readonly neg_inf: JsonNumber
  readonly error?: string
}

export interface JsonHistogramSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly total_steps: number
  readonly items: readonly JsonItem[]
}

const numberOf = (value: JsonNumber): number => (value === null ? NaN : Number(value))
const column = (values: readonly JsonNumber[]): Float64Array => Float64Array.from(values as readonly number[], numberOf)

export function histogramSeriesOf(series: JsonHistogramSeries): HistogramSeries {
  const readable = series.items.filter((item) => item.edges !== null && item.counts !== null)
  return {
    run: series.run,
    tag: series.tag,
    source: series.source,
    totalSteps: series.total_steps,
    startTime: numberOf(series.items[0]?.wall_time ?? 0),
    errors: series.items.flatMap(({ error }) => (error === undefined ? [] : [error])),
    items: readable.map((item) => ({
      step: item.step,
      wall: numberOf(item.wall_time),
      count: numberOf(item.count),
      min: numberOf(item.min),
      max: numberOf(item.max),
      sum: numberOf(item.sum),
      edges: column(item.edges ?? []),
      counts: column(item.counts ?? []),
      nan: numberOf(item.nan),
      posInf: numberOf(item.pos_inf),
      negInf: numberOf(item.neg_inf),
    })),
  }
}

export async function fetchHistograms({ runs, tag, maxSteps, steps, withOverwritten }: HistogramQuery, signal?: AbortSignal): Promise<readonly HistogramSeries[]> {
  const asked = { run: runs, tag: [tag], max_steps: maxSteps, resume: withOverwritten ? 'all' : undefined }
  if (!steps) return ask(asked, signal)
  // Times count from the first step, also where only later ones are shown.
  const [series, whole] = await Promise.all([ask({ ...asked, from_step: steps[0], to_step: steps[1] }, signal), ask({ ...asked, max_steps: 2 }, signal)])
  const starts = new Map(whole.map(({ run, source, startTime }) => [`${run}\n${source}`, startTime]))
  return series.map((each) => ({ ...each, startTime: starts.get(`${each.run}\n${each.source}`) ?? each.startTime }))
}

async function ask(query: Parameters<typeof askJson>[1], signal?: AbortSignal): Promise<readonly HistogramSeries[]> {
  const answer = (await askJson('histograms', query, signal)) as { series: readonly JsonHistogramSeries[] }
  return answer.series.map(histogramSeriesOf)
}
