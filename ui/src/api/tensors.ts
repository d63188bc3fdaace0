import { askJson, getJson } from './client'

/** Of the finite numbers; NaN where there are none. */
export interface TensorStatistics {
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly std: number
  readonly sum: number
  readonly nan: number
  readonly posInf: number
  readonly negInf: number
}

/** A tensor at one step. */
export interface TensorItem {
  readonly step: number
  readonly wall: number
  readonly dtype: string
  readonly shape: readonly number[]
  /** null for strings and complex numbers, and where they were not asked for. */
  readonly statistics: TensorStatistics | null
  /** Where its numbers are as a file; null for strings. */
  readonly url: string | null
  /** Why it cannot be shown. */
  readonly error: string | null
}

export interface TensorSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly items: readonly TensorItem[]
}

/** Which tensor, less which other step of it. */
export interface TensorPlace {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly step: number
  readonly minus: number | null
}

export interface Window {
  readonly row: number
  readonly rows: number
  readonly column: number
  readonly columns: number
}

/** A number, a truth value, or text: strings, complex and very large whole numbers. */
export type Entry = number | boolean | string

export interface TensorHistogram {
  readonly of: 'numbers' | 'magnitudes'
  readonly edges: Float64Array
  readonly counts: Float64Array
  readonly statistics: TensorStatistics
}

/** JSON has no word for non-finite numbers, so they come as text. */
type JsonNumber = number | string | null
type JsonStatistics = Readonly<Record<'min' | 'max' | 'mean' | 'std' | 'sum' | 'nan' | 'pos_inf' | 'neg_inf', JsonNumber>>

interface JsonItem {
  readonly step: number
  readonly wall_time: JsonNumber
  readonly dtype: string | null
  readonly shape: readonly number[] | null
  readonly statistics: JsonStatistics | null
  readonly url: string | null
  readonly error?: string
}

const numberOf = (value: JsonNumber): number => (value === null ? NaN : Number(value))

const statisticsOf = (found: JsonStatistics): TensorStatistics => ({
  min: numberOf(found.min), max: numberOf(found.max), mean: numberOf(found.mean), std: numberOf(found.std), sum: numberOf(found.sum),
  nan: numberOf(found.nan), posInf: numberOf(found.pos_inf), negInf: numberOf(found.neg_inf),
})

export interface TensorQuery {
  readonly runs: readonly string[]
  readonly tag: string
  /** Their computation reads every number. */
  readonly hasStatistics: boolean
  /** At most so many steps of each run; all when left out. */
  readonly maxSteps?: number
}

export async function fetchTensors({ runs, tag, hasStatistics, maxSteps }: TensorQuery, signal?: AbortSignal): Promise<readonly TensorSeries[]> {
  const asked = { run: runs, tag: [tag], statistics: hasStatistics ? 'all' : 'none', max_steps: maxSteps }
  const answer = (await askJson('tensors', asked, signal)) as { series: readonly { run: string; tag: string; source: string; items: readonly JsonItem[] }[] }
  return answer.series.map(({ run, tag: name, source, items }) => ({
    run, tag: name, source,
    items: items.map(({ step, wall_time, dtype, shape, statistics, url, error }) => ({
      step, wall: numberOf(wall_time), dtype: dtype ?? '', shape: shape ?? [], statistics: statistics && statisticsOf(statistics), url, error: error ?? null,
    })),
  }))
}

const asked = ({ run, tag, source, step, minus }: TensorPlace) => ({ run, tag, source: source || undefined, step, minus: minus ?? undefined })

const ODD: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity }

/** Rows of a window of the slice at `index`. */
export async function fetchSlice(place: TensorPlace, index: string, window: Window, isText: boolean, signal?: AbortSignal): Promise<readonly (readonly Entry[])[]> {
  const { values } = (await getJson('tensors/slice', { ...asked(place), index, ...window }, signal)) as { values: readonly (readonly Entry[])[] }
  // A tensor of strings may well hold the word NaN.
  return isText ? values : values.map((row) => row.map((entry) => (typeof entry === 'string' ? (ODD[entry] ?? entry) : entry)))
}

export async function fetchTensorHistogram(place: TensorPlace, signal?: AbortSignal): Promise<TensorHistogram> {
  const found = (await getJson('tensors/histogram', asked(place), signal)) as {
    of: 'numbers' | 'magnitudes'; edges: readonly JsonNumber[]; counts: readonly number[]; statistics: JsonStatistics
  }
  return { of: found.of, edges: Float64Array.from(found.edges as readonly number[], numberOf), counts: Float64Array.from(found.counts), statistics: statisticsOf(found.statistics) }
}
