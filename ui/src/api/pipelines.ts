import { getJson } from './client'

/** An operator of a data pipeline: a dataset operator, a sampler, or an augmentation. */
export interface PipelineOperator {
  readonly operator: string
  readonly name: string
  readonly parameters: readonly { readonly name: string; readonly value: unknown }[]
  readonly sampler: PipelineOperator | null
  readonly operations: readonly PipelineOperator[]
  /** What it takes its data from. */
  readonly children: readonly PipelineOperator[]
}

export interface Pipeline {
  readonly file: string
  readonly wall_time: number | string
  readonly phase: string
  readonly root: PipelineOperator
}

export async function fetchPipelines(run: string, signal?: AbortSignal): Promise<readonly Pipeline[]> {
  return ((await getJson(`lineage/datasets/${encodeURIComponent(run)}/graph`, {}, signal)) as { graphs: readonly Pipeline[] }).graphs
}

/** A value of a parameter as text. */
export const parameterText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value) ?? '')
