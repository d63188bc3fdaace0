import type { DataOperator, DataPipeline } from '@rest'
import { getJson } from '@/base/api/client'

/** An operator of a data pipeline: a dataset operator, a sampler, or an augmentation. */
export type PipelineOperator = DataOperator
export type Pipeline = DataPipeline

export async function fetchPipelines(run: string, signal?: AbortSignal): Promise<readonly Pipeline[]> {
  return (await getJson(['lineage/datasets/{run}/graph', run], {}, signal)).graphs
}

/** A value of a parameter as text. */
export const parameterText = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
