/** What a tile of the dashboard is given, and what it does with it. */

import type { Tag } from '@/board/runs/api'

/** A tag of the run, of one of the kinds of its board. */
export interface PreviewTag extends Pick<Tag, 'tag'> {
  readonly kind: string
  readonly lastStep: number
}

export interface PreviewProps {
  readonly run: string
  /** Those written last come first. */
  readonly tags: readonly PreviewTag[]
}

/** What people look at first, when several are equally new. */
const TELLING = [/loss/i, /acc/i, /error|perplexity|reward|score/i]

const rank = (tag: string): number => {
  const at = TELLING.findIndex((pattern) => pattern.test(tag))
  return at < 0 ? TELLING.length : at
}

/** A curve of one point says little, however new. */
const isPoint = (kind: string, count: number): number => Number(kind === 'scalars' && count < 2)

/** The tags of `kinds` of a run, those written last first. */
export function newestTags(
  byKind: Readonly<Record<string, readonly Tag[]>>,
  kinds: readonly string[],
): readonly PreviewTag[] {
  return kinds
    .flatMap((kind) =>
      (byKind[kind] ?? []).map(({ tag, count, last_step }) => ({
        tag,
        kind,
        lastStep: last_step,
        isPoint: isPoint(kind, count),
      })),
    )
    .sort(
      (a, b) =>
        a.isPoint - b.isPoint ||
        b.lastStep - a.lastStep ||
        rank(a.tag) - rank(b.tag) ||
        (a.tag < b.tag ? -1 : 1),
    )
    .map(({ tag, kind, lastStep }) => ({ tag, kind, lastStep }))
}

/** The last step of all tags of a run; null when it has none. */
export function lastStepOf(byKind: Readonly<Record<string, readonly Tag[]>>): number | null {
  const steps = Object.values(byKind).flatMap((tags) => tags.map(({ last_step }) => last_step))
  return steps.length === 0 ? null : steps.reduce((last, step) => Math.max(last, step), -Infinity)
}
