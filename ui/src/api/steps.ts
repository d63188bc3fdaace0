import { askJson } from './client'

/** When the values of one series were logged, in the order of logging. */
export interface StepSeries {
  readonly run: string
  readonly tag: string
  readonly source: string
  readonly steps: readonly number[]
  readonly wall_times: readonly (number | string)[]
}

export interface StepsQuery {
  readonly kind: string
  readonly runs: readonly string[]
  readonly tags: readonly string[]
}

/** Every step of some tags, without what was logged there. */
export async function fetchSteps({ kind, runs, tags }: StepsQuery, signal?: AbortSignal): Promise<readonly StepSeries[]> {
  const answer = (await askJson('steps', { kind, run: runs, tag: tags }, signal)) as { series: readonly StepSeries[] }
  return answer.series
}
