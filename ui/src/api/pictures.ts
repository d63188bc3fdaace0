import { askJson } from './client'

/** Images, and videos: animated pictures. */
export type PictureKind = 'images' | 'video'
export const PICTURE_KINDS: readonly PictureKind[] = ['images', 'video']

/** One picture; `index` is its place among those of its step. One that cannot be shown has an `error` instead of a `url`. */
export interface Picture {
  readonly step: number
  readonly wall_time: number | string
  readonly index: number
  readonly width: number | null
  readonly height: number | null
  readonly url: string | null
  readonly error?: string
}

export interface PictureSeries {
  readonly kind: PictureKind
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly items: readonly Picture[]
}

/** Every picture of a tag in these runs. */
export async function fetchPictures(kind: PictureKind, runs: readonly string[], tag: string, signal?: AbortSignal): Promise<readonly PictureSeries[]> {
  const answer = (await askJson(kind, { run: runs, tag: [tag] }, signal)) as { series: readonly Omit<PictureSeries, 'kind'>[] }
  return answer.series.map((series) => ({ kind, ...series }))
}
