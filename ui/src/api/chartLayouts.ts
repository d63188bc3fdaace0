import { askJson } from './client'

/** A curve and the two that bound the band around it. */
export interface Margin {
  readonly value: string
  readonly lower: string
  readonly upper: string
}

export interface LayoutChart {
  readonly title: string
  /** Regular expressions that the beginning of a tag has to match. */
  readonly tags: readonly string[]
  readonly margins: readonly Margin[]
}

export interface LayoutCategory {
  readonly title: string
  readonly closed: boolean
  readonly charts: readonly LayoutChart[]
}

/** What one run says about charts, all that it wrote one after the other. */
export interface ChartLayouts {
  readonly run: string
  readonly items: readonly { readonly categories: readonly LayoutCategory[] | null; readonly error?: string }[]
}

export async function fetchChartLayouts({ runs }: { readonly runs: readonly string[] }, signal?: AbortSignal): Promise<readonly ChartLayouts[]> {
  const answer = (await askJson('custom-scalars', { run: runs }, signal)) as { series: readonly ChartLayouts[] }
  return answer.series
}
