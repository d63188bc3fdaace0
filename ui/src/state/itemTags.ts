/** The tags of some kinds of data in the chosen runs together. */

import { computed, onScopeDispose, ref, shallowRef, watch, type Ref } from 'vue'
import { isAbort } from '@/api/client'
import { fetchTags } from '@/api/runs'
import { noteRefusal, onChanges } from './live'

export interface ItemTag<K extends string> {
  readonly tag: string
  readonly kinds: readonly K[]
  /** The runs that have it, in the order in which they were chosen. */
  readonly runs: readonly string[]
  readonly lastStep: number
}

/** What one run has of a tag. */
export interface OwnTag<K extends string> {
  readonly tag: string
  readonly kind: K
  readonly lastStep: number
}

/** Browsers open six connections to a server, and cards want some too. */
const CALLS = 3

/** Tags as they come to be known. */
export interface TagSource<T> {
  readonly tags: Readonly<Ref<readonly T[]>>
  /** Whether every run was asked. */
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  retry(): void
}

/** The tags of several runs as one list. */
export function joinTags<K extends string>(runs: readonly string[], known: ReadonlyMap<string, readonly OwnTag<K>[]>): readonly ItemTag<K>[] {
  const joined = new Map<string, { tag: string; kinds: K[]; runs: string[]; lastStep: number }>()
  for (const run of runs) {
    for (const { tag, kind, lastStep } of known.get(run) ?? []) {
      const there = joined.get(tag) ?? { tag, kinds: [], runs: [], lastStep }
      joined.set(tag, there)
      if (!there.kinds.includes(kind)) there.kinds.push(kind)
      if (!there.runs.includes(run)) there.runs.push(run)
      there.lastStep = Math.max(there.lastStep, lastStep)
    }
  }
  return [...joined.values()]
}

export function useItemTags<K extends string>(runs: () => readonly string[], kinds: readonly K[]): TagSource<ItemTag<K>> {
  const known = shallowRef<ReadonlyMap<string, readonly OwnTag<K>[]>>(new Map())
  const error = shallowRef<unknown>(null)
  const abort = new AbortController()
  const stale = new Set<string>()
  const isAsking = ref(false)

  const next = (): string | undefined => runs().find((run) => stale.has(run) || !known.value.has(run))

  async function askFor(asking: Set<string>): Promise<void> {
    for (;;) {
      const run = runs().find((id) => !asking.has(id) && (stale.has(id) || !known.value.has(id)))
      if (run === undefined) return
      asking.add(run)
      stale.delete(run)
      const byKind = await fetchTags(run, abort.signal)
      const own = kinds.flatMap((kind) => (byKind[kind] ?? []).map(({ tag, last_step }) => ({ tag, kind, lastStep: last_step })))
      known.value = new Map(known.value).set(run, own)
      asking.delete(run)
    }
  }

  async function load(): Promise<void> {
    if (isAsking.value || next() === undefined) return
    isAsking.value = true
    const asking = new Set<string>()
    try {
      await Promise.all(Array.from({ length: CALLS }, () => askFor(asking)))
      error.value = null
    } catch (problem) {
      if (isAbort(problem)) return
      noteRefusal(problem)
      for (const run of asking) stale.add(run)
      error.value = problem
    } finally {
      isAsking.value = false
    }
    if (error.value === null) void load()
  }

  watch(() => runs().join('\n'), () => void load(), { immediate: true })
  onChanges((changes) => {
    for (const run of changes.runs.length === 0 ? runs() : changes.runs) stale.add(run)
    void load()
  })
  onScopeDispose(() => abort.abort())

  return {
    tags: computed(() => joinTags(runs(), known.value)),
    isLoaded: computed(() => runs().every((run) => known.value.has(run))),
    error,
    retry: () => void load(),
  }
}
