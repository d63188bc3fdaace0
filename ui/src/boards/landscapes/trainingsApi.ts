import { sendJson } from '@/base/api/client'

/** What is known of how a run was trained; empty where it was not logged. */
export interface Training {
  readonly run: string
  readonly network: string
  readonly optimizer: string
  readonly learningRate: number | null
  readonly lossFunction: string
  readonly accuracy: number | null
}

export interface TrainingQuery {
  readonly runs: readonly string[]
  /** Their names, by which the table of models knows them. */
  readonly names: readonly string[]
}

export async function fetchTrainings(
  { names }: TrainingQuery,
  signal?: AbortSignal,
): Promise<readonly Training[]> {
  const columns = ['network', 'optimizer', 'learning_rate', 'loss_function', 'metric/accuracy']
  const answer = await sendJson(
    'post',
    'lineage/models',
    { where: { run: { in: names } }, columns, limit: names.length },
    signal,
  )
  const text = (value: unknown): string => (typeof value === 'string' ? value : '')
  const number = (value: unknown): number | null => (typeof value === 'number' ? value : null)
  return answer.rows.map(({ run, values }) => ({
    run,
    network: text(values['network']),
    optimizer: text(values['optimizer']),
    learningRate: number(values['learning_rate']),
    lossFunction: text(values['loss_function']),
    accuracy: number(values['metric/accuracy']),
  }))
}
