import { askJson } from './client'

/** Losses around a network: `z` has a row for each of `y`, in it a loss for each of `x`. Both axes ascend. */
export interface Landscape {
  readonly x: Float64Array
  readonly y: Float64Array
  readonly z: Float64Array
  /** Where training was after each interval. */
  readonly path: LandscapePath | null
  readonly end: LandscapePoint | null
  /** How the directions were found, as PCA or Random. */
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
  readonly items: readonly LandscapeItem[]
}

export interface LandscapeQuery {
  readonly runs: readonly string[]
  readonly tags: readonly string[]
}

/** JSON has no word for non-finite numbers, so they come as text. */
type JsonNumber = number | string
type JsonColumn = readonly JsonNumber[]

interface JsonItem {
  readonly step: number
  readonly wall_time: JsonNumber
  readonly x: JsonColumn | null
  readonly y: JsonColumn | null
  readonly z: readonly JsonColumn[] | null
  readonly path: { readonly intervals: readonly number[]; readonly x: JsonColumn; readonly y: JsonColumn; readonly z: JsonColumn } | null
  readonly convergence: { readonly x: JsonNumber; readonly y: JsonNumber; readonly z: JsonNumber } | null
  readonly decomposition: string | null
  readonly unit: string | null
  readonly step_per_epoch: number | null
  readonly error?: string
}

const column = (values: JsonColumn): Float64Array => Float64Array.from(values as readonly number[], Number)

/** The places of `values` in ascending order. */
const order = (values: Float64Array): readonly number[] => Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!)

export function landscapeOf({ x, y, z, path, convergence, decomposition, unit, step_per_epoch }: Omit<JsonItem, 'step' | 'wall_time'>): Landscape | null {
  if (!x || !y || !z) return null
  const [across, down, losses] = [column(x), column(y), z.map(column)]
  const [xOrder, yOrder] = [order(across), order(down)]
  return {
    x: Float64Array.from(xOrder, (at) => across[at]!),
    y: Float64Array.from(yOrder, (at) => down[at]!),
    z: Float64Array.from(yOrder.flatMap((row) => xOrder.map((at) => losses[row]![at]!))),
    path: path && { intervals: path.intervals, x: column(path.x), y: column(path.y), z: column(path.z) },
    end: convergence && { x: Number(convergence.x), y: Number(convergence.y), z: Number(convergence.z) },
    decomposition: decomposition ?? '',
    unit: unit ?? '',
    stepsPerEpoch: step_per_epoch ?? 0,
  }
}

export async function fetchLandscapes({ runs, tags }: LandscapeQuery, signal?: AbortSignal): Promise<readonly LandscapeSeries[]> {
  const answer = (await askJson('landscapes', { run: runs, tag: tags }, signal)) as { series: readonly { run: string; tag: string; source: string; items: readonly JsonItem[] }[] }
  return answer.series.map(({ run, tag, source, items }) => ({
    run, tag, source,
    items: items.map((item) => ({ step: item.step, wall: Number(item.wall_time), landscape: landscapeOf(item), error: item.error ?? '' })),
  }))
}
