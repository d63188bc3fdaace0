import type { ImageItem, ImageSeries } from '@rest'
import { fetchSeries } from '@/base/api/seriesBatching'
import type { Superseding } from '@/board/steps/superseded'

/** Images, and videos: animated pictures. */
export type PictureKind = 'images' | 'video'
export const PICTURE_KINDS: readonly PictureKind[] = ['images', 'video']

/** One picture; `index` is its place among those of its step. One that cannot be shown has an `error` instead of a `url`. */
export type Picture = ImageItem
export type PictureSeries = Superseding<ImageSeries> & { readonly kind: PictureKind }

export interface PictureQuery {
  readonly kinds: readonly PictureKind[]
  readonly runs: readonly string[]
  readonly tag: string
  /** At most so many steps of each run, the last among them; all when left out. */
  readonly maxSteps?: number
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

/** Every picture of a tag in these runs. */
export async function fetchPictures(
  { kinds, runs, tag, maxSteps, withSuperseded }: PictureQuery,
  signal?: AbortSignal,
): Promise<readonly PictureSeries[]> {
  const answers = await Promise.all(
    kinds.map((kind) =>
      fetchSeries(
        kind,
        { run: runs, tag: [tag], max_steps: maxSteps, resume: withSuperseded ? 'all' : undefined },
        signal,
      ),
    ),
  )
  return answers.flatMap((answer, i) => answer.map((series) => ({ kind: kinds[i]!, ...series })))
}
