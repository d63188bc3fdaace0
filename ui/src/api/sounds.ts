import { askJson } from './client'

/** One sound; one that cannot be heard has an `error` instead of a `url`. */
export interface Sound {
  readonly step: number
  readonly wall_time: number | string
  readonly index: number
  readonly sample_rate: number | null
  readonly channels: number | null
  /** Samples of each channel. */
  readonly frames: number | null
  readonly label: string | null
  readonly url: string | null
  readonly error?: string
}

export interface SoundSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly items: readonly Sound[]
}

export interface SoundQuery {
  readonly runs: readonly string[]
  readonly tag: string
  /** At most so many steps of each run, the last among them; all when left out. */
  readonly maxSteps?: number
}

/** Every sound of a tag in these runs. */
export async function fetchSounds({ runs, tag, maxSteps }: SoundQuery, signal?: AbortSignal): Promise<readonly SoundSeries[]> {
  return ((await askJson('audio', { run: runs, tag: [tag], max_steps: maxSteps }, signal)) as { series: readonly SoundSeries[] }).series
}
