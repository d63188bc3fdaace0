/** Embeddings, their projections, and the neighbours of their points. */

import type * as rest from '@rest'
import { apiUrl, askJson, deleteJson, fetchFile, getJson, sendJson } from '@/base/api/client'
import { readNpy } from '@/base/npy'

export type ProjectionStatus = rest.ProjectionStatus
export type Sprite = rest.EmbeddingSprite
export type MethodInfo = rest.ProjectionMethod
export type Method = 'pca' | 'tsne' | 'umap'
export type Metric = 'euclidean' | 'cosine'

/** An embedding without its labels; null where it could not be read, and `error` says why. */
export interface EmbeddingItem {
  readonly step: number
  readonly points: number | null
  readonly dimensions: number | null
  /** Of its vectors; another one when it was logged anew. */
  readonly url: string | null
  readonly error: string | null
}

export interface EmbeddingSeries {
  readonly source: string
  readonly items: readonly EmbeddingItem[]
}

export interface LabelledEmbedding {
  readonly points: number
  readonly dimensions: number
  /** What the labels are called; empty when nobody said so. */
  readonly header: readonly string[]
  /** Of each point; empty when points have none. */
  readonly labels: readonly (readonly string[])[]
  readonly sprite: Sprite | null
  readonly notes: readonly string[]
}

/** Which embedding. */
export interface EmbeddingPlace {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly step: number
}

async function fetchSeries(
  run: string,
  tag: string,
  labels: 'all' | 'none',
  step: number | undefined,
  signal?: AbortSignal,
): Promise<readonly rest.EmbeddingSeries[]> {
  const { series } = await askJson(
    'embeddings',
    { run: [run], tag: [tag], labels, from_step: step, to_step: step },
    signal,
  )
  return series
}

/** What was logged under a tag, without labels. */
export async function fetchEmbeddings(
  run: string,
  tag: string,
  signal?: AbortSignal,
): Promise<readonly EmbeddingSeries[]> {
  const series = await fetchSeries(run, tag, 'none', undefined, signal)
  return series.map(({ source, items }) => ({
    source,
    items: items.map(({ step, points, dimensions, url, error }) => ({
      step,
      points,
      dimensions,
      url,
      error: error ?? null,
    })),
  }))
}

/** One embedding with its labels. Where points were logged one by one, those of all steps are one embedding: `isOneByOne`. */
export async function fetchLabels(
  { run, tag, source, step }: EmbeddingPlace,
  isOneByOne: boolean,
  signal?: AbortSignal,
): Promise<LabelledEmbedding | null> {
  const series = await fetchSeries(run, tag, 'all', isOneByOne ? undefined : step, signal)
  const items = (series.find((each) => each.source === source)?.items ?? []).filter(
    ({ points }) => points !== null,
  )
  const last = items.at(-1)
  if (!last) return null
  return {
    points: isOneByOne ? items.length : last.points!,
    dimensions: last.dimensions!,
    header: last.header ?? [],
    labels: (isOneByOne ? items : [last]).flatMap((item) => item.labels ?? []),
    sprite: isOneByOne ? null : last.sprite,
    notes: last.notes ?? [],
  }
}

export interface ProjectionQuery extends EmbeddingPlace {
  readonly method: Method
  readonly metric: Metric
  readonly dimensions: 2 | 3
  readonly perplexity: number
  readonly iterations: number
  readonly neighbours: number
  readonly minDistance: number
}

/** Points in few dimensions, row by row. */
export interface Projected {
  readonly values: Float32Array
  readonly count: number
  readonly columns: number
}

export async function startProjection(
  query: ProjectionQuery,
  signal?: AbortSignal,
): Promise<ProjectionStatus> {
  const {
    run,
    tag,
    source,
    step,
    method,
    metric,
    dimensions,
    perplexity,
    iterations,
    neighbours,
    minDistance,
  } = query
  const body = {
    run,
    tag,
    source,
    step,
    method,
    metric,
    dimensions,
    perplexity,
    iterations,
    neighbours,
    min_distance: minDistance,
  }
  return sendJson('post', 'projections', body, signal)
}

export async function fetchProjection(id: string, signal?: AbortSignal): Promise<ProjectionStatus> {
  return getJson(['projections/{id}', id], {}, signal)
}

export async function fetchProjected(id: string, signal?: AbortSignal): Promise<Projected> {
  const file = await fetchFile(apiUrl(`projections/${id}/points`), signal)
  const { shape, values } = readNpy(await file.arrayBuffer())
  if (!(values instanceof Float32Array)) throw new TypeError('points are not float32')
  return { values, count: shape[0] ?? 0, columns: shape[1] ?? 0 }
}

export const cancelProjection = (id: string): Promise<unknown> => deleteJson(['projections/{id}', id])

export async function fetchMethods(signal?: AbortSignal): Promise<readonly MethodInfo[]> {
  return (await getJson('projections', {}, signal)).methods
}

export interface Neighbour {
  readonly point: number
  readonly distance: number
}

/** The nearest points in the space that the vectors come from. */
export async function fetchNeighbours(
  { run, tag, source, step }: EmbeddingPlace,
  point: number,
  count: number,
  metric: Metric,
  signal?: AbortSignal,
): Promise<readonly Neighbour[]> {
  const { points, distances } = await getJson(
    'embeddings/neighbours',
    { run, tag, source, step, point, count, metric },
    signal,
  )
  return points.map((other, i) => ({ point: other, distance: Number(distances[i]) }))
}
