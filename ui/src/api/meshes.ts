import { askJson, fetchFile } from './client'
import { readNpy, type NumberArray } from './npy'

export type MeshContent = 'vertices' | 'faces' | 'colors'

/** A part of a mesh at one step; one that cannot be shown has an `error` instead of a `url`. */
export interface MeshPart {
  readonly step: number
  readonly wall_time: number | string
  readonly name: string | null
  readonly content: MeshContent | null
  /** Meshes, points or faces, numbers of each. */
  readonly shape: readonly [number, number, number] | null
  /** What the writer says of camera, light and material, as JSON. */
  readonly config: string | null
  readonly url: string | null
  readonly error?: string
}

export interface MeshPartSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly items: readonly MeshPart[]
}

export interface MeshQuery {
  readonly runs: readonly string[]
  /** Of the parts. */
  readonly tags: readonly string[]
}

export async function fetchMeshParts({ runs, tags }: MeshQuery, signal?: AbortSignal): Promise<readonly MeshPartSeries[]> {
  const answer = (await askJson('meshes', { run: runs, tag: tags }, signal)) as { series: readonly MeshPartSeries[] }
  return answer.series
}

/** The numbers of a part. */
export async function fetchArray(url: string, signal?: AbortSignal): Promise<NumberArray> {
  const file = await fetchFile(url, signal)
  return readNpy(await file.arrayBuffer())
}
