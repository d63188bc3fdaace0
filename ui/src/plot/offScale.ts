/** How many curves of a chart leave its vertical axis, which outliers do not stretch. */

import type { Values } from './curves'
import type { Plot } from './plot'
import { padded, xExtent, yExtent } from './scale'
import type { Range } from './zoom'

/** Curves with finite values in view that lie beyond the axis; 0 while somebody has chosen the part that is shown. */
export function countOffScale(plot: Plot<Values>): number {
  const { box, isLog, ignoreOutliers } = plot
  if (!ignoreOutliers || (box && (box.left || box.right))) return 0
  const lines = plot.together ?? plot.lines
  const within: Range = box?.x ?? xExtent(lines) ?? [0, 1]
  let count = 0
  for (const side of ['left', 'right'] as const) {
    const extent = yExtent(lines, { side, within, isLog, ignoreOutliers })
    if (!extent) continue
    const { lo, hi } = padded(extent, isLog)
    for (const { xs, ys, side: own, bound } of plot.lines) {
      if (own !== side || bound) continue
      for (let i = 0; i < xs.length; i++) {
        const y = ys[i]!
        if (xs[i]! < within[0] || xs[i]! > within[1] || !Number.isFinite(y) || (isLog && y <= 0)) continue
        if (y >= lo && y <= hi) continue
        count++
        break
      }
    }
  }
  return count
}
