import type * as rest from '@rest'
import { askJson, getJson } from '@/base/api/client'
import { columnOf, numberOf } from '@/base/api/jsonNumbers'

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
  readonly superseded: number
  readonly replaced?: number
  readonly items: readonly TensorItem[]
}

/** Which tensor, less which other step of it. */
export interface TensorPlace {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly step: number
  /** Of the one that is meant, where it is superseded. */
  readonly wall: number | null
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

const statisticsOf = (numbers: rest.TensorStatistics): TensorStatistics => ({
  min: numberOf(numbers.min),
  max: numberOf(numbers.max),
  mean: numberOf(numbers.mean),
  std: numberOf(numbers.std),
  sum: numberOf(numbers.sum),
  nan: numberOf(numbers.nan),
  posInf: numberOf(numbers.pos_inf),
  negInf: numberOf(numbers.neg_inf),
})

export interface TensorQuery {
  readonly runs: readonly string[]
  readonly tag: string
  /** Their computation reads every number. */
  readonly hasStatistics: boolean
  /** At most so many steps of each run; all when left out. */
  readonly maxSteps?: number
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

export async function fetchTensors(
  { runs, tag, hasStatistics, maxSteps, withSuperseded }: TensorQuery,
  signal?: AbortSignal,
): Promise<readonly TensorSeries[]> {
  const params = {
    run: runs,
    tag: [tag],
    statistics: hasStatistics ? 'all' : 'none',
    max_steps: maxSteps,
    resume: withSuperseded ? 'all' : undefined,
  }
  const { series } = await askJson('tensors', params, signal)
  return series.map(({ run, tag: name, source, superseded, items }) => ({
    run,
    tag: name,
    source,
    superseded,
    items: items.map(({ step, wall_time, dtype, shape, statistics, url, error }) => ({
      step,
      wall: numberOf(wall_time),
      dtype: dtype ?? '',
      shape: shape ?? [],
      statistics: statistics && statisticsOf(statistics),
      url,
      error: error ?? null,
    })),
  }))
}

const paramsOf = ({ run, tag, source, step, wall, minus }: TensorPlace) => ({
  run,
  tag,
  source: source || undefined,
  step,
  wall_time: wall ?? undefined,
  minus: minus ?? undefined,
})

const ODD: Readonly<Record<string, number>> = { NaN: NaN, Infinity: Infinity, '-Infinity': -Infinity }

/** Rows of a window of the slice at `index`. */
export async function fetchSlice(
  place: TensorPlace,
  index: string,
  window: Window,
  isText: boolean,
  signal?: AbortSignal,
): Promise<readonly (readonly Entry[])[]> {
  const { values } = await getJson('tensors/slice', { ...paramsOf(place), index, ...window }, signal)
  // A tensor of strings may well hold the word NaN.
  return isText
    ? values
    : values.map((row) => row.map((entry) => (typeof entry === 'string' ? (ODD[entry] ?? entry) : entry)))
}

export async function fetchTensorHistogram(
  place: TensorPlace,
  signal?: AbortSignal,
): Promise<TensorHistogram> {
  const response = await getJson('tensors/histogram', paramsOf(place), signal)
  return {
    of: response.of,
    edges: columnOf(response.edges),
    counts: Float64Array.from(response.counts),
    statistics: statisticsOf(response.statistics),
  }
}
