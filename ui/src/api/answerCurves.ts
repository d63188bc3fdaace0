import { askJson } from './client'

/** Precision against recall, or the true against the false positive rate. */
export type AnswerKind = 'pr_curves' | 'roc_curves'
export const ANSWER_KINDS: readonly AnswerKind[] = ['pr_curves', 'roc_curves']

/** The right and wrong answers of a classifier at ascending thresholds; `xs` and `ys` are NaN where they are not defined. */
export interface Answers {
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

export interface AnswerItem {
  readonly step: number
  readonly wall: number
  /** null when it cannot be shown; `error` says why. */
  readonly answers: Answers | null
  readonly error: string | null
}

export interface AnswerSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly items: readonly AnswerItem[]
}

export interface AnswerQuery {
  readonly kind: AnswerKind
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  /** Only the last curve up to this step; all when left out. */
  readonly at?: number | null
}

/** JSON has no word for non-finite numbers, so they come as text. */
type JsonColumn = readonly (number | string)[] | null

type JsonItem = {
  readonly step: number
  readonly wall_time: number | string
  readonly error?: string
} & Readonly<Record<'thresholds' | 'tp' | 'fp' | 'tn' | 'fn' | 'precision' | 'recall' | 'tpr' | 'fpr', JsonColumn | undefined>>

const column = (numbers: JsonColumn | undefined): Float64Array => Float64Array.from((numbers ?? []) as readonly number[], Number)

export function answersOf(kind: AnswerKind, item: JsonItem): Answers {
  const [tp, fp] = [column(item.tp), column(item.fp)]
  const counts = { thresholds: column(item.thresholds), tp, fp, tn: column(item.tn), fn: column(item.fn) }
  if (kind === 'roc_curves') return { ...counts, xs: column(item.fpr), ys: column(item.tpr) }
  // Where nothing is taken for positive there is no precision; writers put 0 there.
  return { ...counts, xs: column(item.recall), ys: column(item.precision).map((value, i) => (tp[i]! + fp[i]! > 0 ? value : NaN)) }
}

export async function fetchAnswers({ kind, runs, tags, at }: AnswerQuery, signal?: AbortSignal): Promise<readonly AnswerSeries[]> {
  const path = kind === 'pr_curves' ? 'pr-curves' : 'roc-curves'
  const only = at === undefined || at === null ? {} : { to_step: at, max_steps: 1 }
  const answer = (await askJson(path, { run: runs, tag: tags, ...only }, signal)) as {
    series: readonly { readonly run: string; readonly tag: string; readonly source: string; readonly items: readonly JsonItem[] }[]
  }
  return answer.series.map(({ run, tag, source, items }) => ({
    run, tag, source,
    items: items.map((item) => ({
      step: item.step,
      wall: Number(item.wall_time),
      answers: item.error === undefined ? answersOf(kind, item) : null,
      error: item.error ?? null,
    })),
  }))
}
