import type { Projected } from './api'
import type { Column } from './metadataColumns'

const cell = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The points as CSV: number, coordinates called by `names`, labels. */
export function pointsTable(
  { values, count, columns }: Projected,
  names: readonly string[],
  labels: readonly Column[],
): string {
  const lines = [['point', ...names.slice(0, columns), ...labels.map(({ name }) => name)].map(cell).join(',')]
  for (let i = 0; i < count; i++) {
    const coordinates = Array.from(values.subarray(i * columns, (i + 1) * columns), (value) =>
      Number.isNaN(value) ? '' : String(value),
    )
    lines.push([String(i), ...coordinates, ...labels.map(({ texts }) => cell(texts[i] ?? ''))].join(','))
  }
  return `${lines.join('\n')}\n`
}
