import type * as rest from '@rest'
import { columnOf } from '@/base/api/jsonNumbers'
import { fetchSeries } from '@/base/api/seriesBatching'

/** Losses around a network: `z` has a row for each of `y`, in it a loss for each of `x`. Both axes ascend. */
export interface Landscape {
  readonly x: Float64Array
  readonly y: Float64Array
  readonly z: Float64Array
  /** Where training was after each interval. */
  readonly path: LandscapePath | null
  readonly end: LandscapePoint | null
  /** How the directions were found, for instance PCA or Random. */
  readonly decomposition: string
  /** Of the intervals: step or epoch. */
  readonly unit: string
  readonly stepsPerEpoch: number
}

export interface LandscapePath {
  readonly intervals: readonly number[]
  readonly x: Float64Array
  readonly y: Float64Array
  readonly z: Float64Array
}

export interface LandscapePoint {
  readonly x: number
  readonly y: number
  readonly z: number
}

/** One that cannot be shown has an `error` instead of a `landscape`. */
export interface LandscapeItem {
  readonly step: number
  readonly wall: number
  readonly landscape: Landscape | null
  readonly error: string
}

export interface LandscapeSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly superseded: number
  readonly replaced?: number
  readonly items: readonly LandscapeItem[]
}

export interface LandscapeQuery {
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

/** The places of `values` in ascending order. */
const order = (values: Float64Array): readonly number[] =>
  Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!)

export function landscapeOf({
  x,
  y,
  z,
  path,
  convergence,
  decomposition,
  unit,
  step_per_epoch,
}: Omit<rest.LandscapeItem, 'step' | 'wall_time'>): Landscape | null {
  if (!x || !y || !z) return null
  const [across, down, losses] = [columnOf(x), columnOf(y), z.map(columnOf)]
  const [xOrder, yOrder] = [order(across), order(down)]
  return {
    x: Float64Array.from(xOrder, (at) => across[at]!),
    y: Float64Array.from(yOrder, (at) => down[at]!),
    z: Float64Array.from(yOrder.flatMap((row) => xOrder.map((at) => losses[row]![at]!))),
    path: path && {
      intervals: path.intervals,
      x: columnOf(path.x),
      y: columnOf(path.y),
      z: columnOf(path.z),
    },
    end: convergence && { x: Number(convergence.x), y: Number(convergence.y), z: Number(convergence.z) },
    decomposition: decomposition ?? '',
    unit: unit ?? '',
    stepsPerEpoch: step_per_epoch ?? 0,
  }
}

export async function fetchLandscapes(
  { runs, tags, withSuperseded }: LandscapeQuery,
  signal?: AbortSignal,
): Promise<readonly LandscapeSeries[]> {
  const series = await fetchSeries(
    'landscapes',
    { run: runs, tag: tags, resume: withSuperseded ? 'all' : undefined },
    signal,
  )
  return series.map(({ run, tag, source, superseded, items }) => ({
    run,
    tag,
    source,
    superseded,
    items: items.map((item) => ({
      step: item.step,
      wall: Number(item.wall_time),
      landscape: landscapeOf(item),
      error: item.error ?? '',
    })),
  }))
}
