/** What curves of right and wrong answers say: their area, and their points at a threshold. */

import { nameCell } from '@/base/csv'
import type { PrRocKind, PrRocCurve, PrRocSeries } from './api'

/** As near to 1 as single precision comes. */
const WHOLE = 1 - 1e-6

/**
 * The area under the curve, null where its points do not tell it.
 *
 * ROC: trapezoids through the points and the corners (0, 0) and (1, 1), which every such curve has.
 * PR: the average precision, each precision over the recall it adds; straight lines between points would flatter.
 */
export function areaUnder(kind: PrRocKind, { xs, ys }: PrRocCurve): number | null {
  const points: (readonly [number, number])[] = []
  // Ascending thresholds descend in recall and false positives.
  for (let i = xs.length - 1; i >= 0; i--) {
    const [x, y] = [xs[i]!, ys[i]!]
    if (!Number.isFinite(x)) return null
    if (Number.isFinite(y)) points.push([x, y])
  }
  if (points.length === 0) return null
  return kind === 'roc_curves' ? trapezoids([[0, 0], ...points, [1, 1]]) : averagePrecision(points)
}

function trapezoids(points: readonly (readonly [number, number])[]): number | null {
  let area = 0
  for (let i = 1; i < points.length; i++) {
    const [[x0, y0], [x1, y1]] = [points[i - 1]!, points[i]!]
    if (x1 < x0) return null
    area += ((x1 - x0) * (y0 + y1)) / 2
  }
  return area
}

function averagePrecision(points: readonly (readonly [number, number])[]): number | null {
  let [area, reached] = [0, 0]
  for (const [recall, precision] of points) {
    if (recall < reached) return null
    area += (recall - reached) * precision
    reached = recall
  }
  return reached >= WHOLE ? area : null
}

/** The point of ascending `thresholds` nearest to `threshold`; -1 when there are none. */
export function pointAt(thresholds: Float64Array, threshold: number): number {
  let best = -1
  for (let i = 0; i < thresholds.length; i++) {
    if (best < 0 || Math.abs(thresholds[i]! - threshold) < Math.abs(thresholds[best]! - threshold)) best = i
  }
  return best
}

/** The threshold `by` points on from `threshold` in the curve with most of them; the middle when there is none yet. */
export function nextThreshold(
  curves: readonly PrRocCurve[],
  threshold: number | null,
  by: number,
): number | null {
  const finest = curves.reduce<PrRocCurve | null>(
    (most, curve) => (most === null || curve.thresholds.length > most.thresholds.length ? curve : most),
    null,
  )
  if (!finest || finest.thresholds.length === 0) return null
  const last = finest.thresholds.length - 1
  const at = threshold === null ? Math.floor(last / 2) : pointAt(finest.thresholds, threshold) + by
  return finest.thresholds[Math.min(last, Math.max(0, at))]!
}

/** CSV text with a row for every threshold; rates that are not defined are empty. */
export function prRocCsv(
  kind: PrRocKind,
  series: readonly PrRocSeries[],
  nameOf: (run: string) => string,
): string {
  const rows = [
    `run,tag,source,step,wall_time,threshold,tp,fp,tn,fn,${kind === 'pr_curves' ? 'recall,precision' : 'fpr,tpr'}`,
  ]
  for (const { run, tag, source, items } of series) {
    const names = [nameOf(run), tag, source].map(nameCell).join(',')
    for (const { step, wall, answers } of items) {
      if (!answers) continue
      const { thresholds, tp, fp, tn, fn, xs, ys } = answers
      thresholds.forEach((threshold, i) =>
        rows.push(
          [names, step, wall, threshold, tp[i], fp[i], tn[i], fn[i], rate(xs[i]!), rate(ys[i]!)].join(','),
        ),
      )
    }
  }
  return `${rows.join('\n')}\n`
}

const rate = (value: number): string => (Number.isNaN(value) ? '' : String(value))
