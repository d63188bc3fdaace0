/** Landscapes as CSV: every loss of the surface, every point of the path, and the end. */

import type { Landscape } from './api'

const quoted = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

export function landscapeCsv(
  landscapes: readonly { readonly name: string; readonly landscape: Landscape }[],
): string {
  const rows = ['run,part,interval,x,y,loss']
  for (const {
    name,
    landscape: { x, y, z, path, end },
  } of landscapes) {
    const run = quoted(name)
    y.forEach((down, j) =>
      x.forEach((across, i) => rows.push(`${run},surface,,${across},${down},${z[j * x.length + i]}`)),
    )
    path?.intervals.forEach((interval, i) =>
      rows.push(`${run},path,${interval},${path.x[i]},${path.y[i]},${path.z[i]}`),
    )
    if (end) rows.push(`${run},end,,${end.x},${end.y},${end.z}`)
  }
  return `${rows.join('\n')}\n`
}
