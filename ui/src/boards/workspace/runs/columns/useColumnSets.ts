/** The column sets there are, and the one that the address names. */

import { computed, shallowRef, type ComputedRef } from 'vue'
import { useQuery } from '@/base/api/query'
import { fetchColumnSets, type ColumnSet } from './columnSets'

export interface ColumnSets {
  readonly all: ComputedRef<readonly ColumnSet[]>
  /** null: none is named, or not known yet, or it is gone. */
  readonly current: ComputedRef<ColumnSet | null>
  /** False until it is known what the named set is. */
  readonly isKnown: ComputedRef<boolean>
  /** The named set does not exist. */
  readonly isGone: ComputedRef<boolean>
  /** Somebody wants to see all. */
  load(): void
  retry(): Promise<void>
}

export function useColumnSets(name: () => string): ColumnSets {
  const isWanted = shallowRef(false)
  const { answer, error, retry } = useQuery<readonly ColumnSet[]>({
    key: () => (isWanted.value || name() !== '' ? 'sets' : null),
    fetch: fetchColumnSets,
    followsAnnotations: true,
    keepsEqual: true,
  })
  const isKnown = computed(() => name() === '' || answer.value !== null || error.value !== null)
  const current = computed(() => answer.value?.find((set) => set.name === name()) ?? null)
  return {
    all: computed(() => answer.value ?? []),
    current,
    isKnown,
    isGone: computed(() => name() !== '' && answer.value !== null && current.value === null),
    load: () => (isWanted.value = true),
    retry,
  }
}
