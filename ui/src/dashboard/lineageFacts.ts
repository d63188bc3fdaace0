/** What the lineage of a run tells first. */

import { getJson } from '@/api/client'
import { formatValue } from '@/charts/numbers'

type Value = number | string | boolean | null

export interface LineageFacts {
  readonly values: Readonly<Record<string, Value>>
}

export async function fetchLineageFacts({ runs }: { readonly runs: readonly string[] }, signal?: AbortSignal): Promise<readonly LineageFacts[]> {
  return [(await getJson(`lineage/records/${encodeURIComponent(runs[0]!)}`, {}, signal)) as LineageFacts]
}

const FIRST = ['network', 'metric/', 'loss', 'optimizer', 'learning_rate', 'loss_function', 'epoch', 'batch_size', 'train_dataset_count', 'model_size', 'user_defined/']

function rank(name: string): number {
  const at = FIRST.findIndex((first) => (first.endsWith('/') ? name.startsWith(first) : name === first))
  return at < 0 ? FIRST.length : at
}

const textOf = (value: Value): string => (typeof value === 'number' ? formatValue(value, 5) : String(value))

/** Names and values, what people ask for first. */
export function factRows({ values }: LineageFacts, most: number): readonly (readonly string[])[] {
  return Object.entries(values)
    .filter(([, value]) => value !== null && value !== '')
    .sort(([a], [b]) => rank(a) - rank(b))
    .slice(0, most)
    .map(([name, value]) => [name, textOf(value)])
}
