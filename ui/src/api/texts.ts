import { askJson } from './client'

/** One text, or one of a table of texts; one that cannot be shown has an `error` instead. */
export interface TextItem {
  readonly step: number
  readonly wall_time: number | string
  readonly index: number
  /** Maybe only its beginning. */
  readonly text: string | null
  /** Characters of the whole text. */
  readonly length: number | null
  /** Of the table it belongs to; empty for a text alone. */
  readonly shape: readonly number[] | null
  readonly error?: string
}

export interface TextSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly items: readonly TextItem[]
}

export interface TextQuery {
  readonly runs: readonly string[]
  readonly tags: readonly string[]
  /** Only texts with these words. */
  readonly contains?: string
  /** Only so many characters of each. */
  readonly preview?: number
  /** Only this step. */
  readonly step?: number
}

/** The texts of these tags and runs, of all steps unless one is asked for. */
export async function fetchTexts({ runs, tags, contains, preview, step }: TextQuery, signal?: AbortSignal): Promise<readonly TextSeries[]> {
  const parameters = { run: runs, tag: tags, contains: contains || undefined, preview, from_step: step, to_step: step }
  return ((await askJson('texts', parameters, signal)) as { series: readonly TextSeries[] }).series
}
