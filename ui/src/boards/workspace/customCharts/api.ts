import type { ChartLayoutSeries, ChartMargin, LayoutCategory, LayoutChart } from '@rest'
import { askJson } from '@/base/api/client'

export type { LayoutCategory, LayoutChart }
export type Margin = ChartMargin
/** What one run says about charts, all that it wrote one after the other. */
export type ChartLayouts = ChartLayoutSeries

export async function fetchChartLayouts(
  { runs }: { readonly runs: readonly string[] },
  signal?: AbortSignal,
): Promise<readonly ChartLayouts[]> {
  return (await askJson('custom-scalars', { run: runs }, signal)).series
}
