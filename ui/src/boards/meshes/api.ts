import type { MeshItem, MeshSeries } from '@rest'
import { fetchFile } from '@/base/api/client'
import { fetchSeries } from '@/base/api/seriesBatching'
import type { Superseding } from '@/board/steps/superseded'
import { readNpy, type NumberArray } from '@/base/npy'

/** A part of a mesh at one step; one that cannot be shown has an `error` instead of a `url`. */
export type MeshPart = MeshItem
export type MeshPartSeries = Superseding<MeshSeries>
export type MeshContent = NonNullable<MeshPart['content']>

export interface MeshQuery {
  readonly runs: readonly string[]
  /** Of the parts. */
  readonly tags: readonly string[]
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

export async function fetchMeshParts(
  { runs, tags, withSuperseded }: MeshQuery,
  signal?: AbortSignal,
): Promise<readonly MeshPartSeries[]> {
  return fetchSeries('meshes', { run: runs, tag: tags, resume: withSuperseded ? 'all' : undefined }, signal)
}

/** The numbers of a part. */
export async function fetchArray(url: string, signal?: AbortSignal): Promise<NumberArray> {
  const file = await fetchFile(url, signal)
  return readNpy(await file.arrayBuffer())
}
