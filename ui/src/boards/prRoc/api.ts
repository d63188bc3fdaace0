import type { PrCurveItem, RocCurveItem } from '@rest'
import { columnOf } from '@/base/api/jsonNumbers'
import { fetchSeries } from '@/base/api/seriesBatching'

/** Precision against recall, or the true against the false positive rate. */
export type PrRocKind = 'pr_curves' | 'roc_curves'
export const PR_ROC_KINDS: readonly PrRocKind[] = ['pr_curves', 'roc_curves']

/** The right and wrong answers of a classifier at ascending thresholds; `xs` and `ys` are NaN where they are not defined. */
export interface PrRocCurve {
  readonly thresholds: Float64Array
  readonly tp: Float64Array
  readonly fp: Float64Array
  readonly tn: Float64Array
  readonly fn: Float64Array
  /** Recall, or the false positive rate. */
  readonly xs: Float64Array
  /** Precision, or the true positive rate. */
  readonly ys: Float64Array
}

export interface PrRocItem {
  readonly step: number
  readonly wall: number
  /** null when it cannot be shown; `error` says why. */
  readonly answers: PrRocCurve | null
  readonly error: string | null
}

export interface PrRocSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly superseded: number
  readonly replaced?: number
  readonly items: readonly PrRocItem[]
}

export interface PrRocQuery {
  readonly kind: PrRocKind
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  /** Only the last curve up to this step; all when left out. */
  readonly at?: number | null
  /** Only those of exactly this step. */
  readonly only?: number | null
  /** Everything as it was written, not only the newest of each step. */
  readonly withSuperseded?: boolean
}

type Item = Omit<PrCurveItem, 'precision' | 'recall'> &
  Partial<Pick<PrCurveItem, 'precision' | 'recall'> & Pick<RocCurveItem, 'tpr' | 'fpr'>>

export function prRocCurveOf(kind: PrRocKind, item: Item): PrRocCurve {
  const [tp, fp] = [columnOf(item.tp), columnOf(item.fp)]
  const counts = {
    thresholds: columnOf(item.thresholds),
    tp,
    fp,
    tn: columnOf(item.tn),
    fn: columnOf(item.fn),
  }
  if (kind === 'roc_curves') return { ...counts, xs: columnOf(item.fpr), ys: columnOf(item.tpr) }
  // Where nothing is taken for positive there is no precision; writers put 0 there.
  return {
    ...counts,
    xs: columnOf(item.recall),
    ys: columnOf(item.precision).map((value, i) => (tp[i]! + fp[i]! > 0 ? value : NaN)),
  }
}

export async function fetchPrRoc(
  { kind, runs, tags, at, only, withSuperseded }: PrRocQuery,
  signal?: AbortSignal,
): Promise<readonly PrRocSeries[]> {
  const path = kind === 'pr_curves' ? 'pr-curves' : 'roc-curves'
  const within =
    only !== undefined && only !== null
      ? { from_step: only, to_step: only }
      : at === undefined || at === null
        ? {}
        : { to_step: at, max_steps: 1 }
  const series = await fetchSeries(
    path,
    { run: runs, tag: tags, ...within, resume: withSuperseded ? 'all' : undefined },
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
      answers: item.error === undefined ? prRocCurveOf(kind, item) : null,
      error: item.error ?? null,
    })),
  }))
}
