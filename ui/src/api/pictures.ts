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

export interface PictureQuery {
  readonly kinds: readonly PictureKind[]
  readonly runs: readonly string[]
  readonly tag: string
  /** At most so many steps of each run, the last among them; all when left out. */
  readonly maxSteps?: number
}

/** Every picture of a tag in these runs. */
export async function fetchPictures({ kinds, runs, tag, maxSteps }: PictureQuery, signal?: AbortSignal): Promise<readonly PictureSeries[]> {
  const answers = await Promise.all(kinds.map((kind) => askJson(kind, { run: runs, tag: [tag], max_steps: maxSteps }, signal)))
  return answers.flatMap((answer, i) => (answer as { series: readonly Omit<PictureSeries, 'kind'>[] }).series.map((series) => ({ kind: kinds[i]!, ...series })))
}
