/** The tags of some kinds of data in the chosen runs together. */

import { computed, ref, shallowRef, watch, type Ref } from 'vue'
import { isRebuilding } from '@/base/api/client'
import { noteRefusal } from '@/base/api/live'
import { useQuery } from '@/base/api/query'
import { wordsIn } from '@/base/pattern'
import { fetchTags } from '@/board/runs/api'

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
/** Of very many runs the first are shown before the last have arrived. */
const SNAPSHOT_MS = 400

/** Tags as they come to be known. */
export interface TagSource<T> {
  readonly tags: Readonly<Ref<readonly T[]>>
  /** Whether every run was asked. */
  readonly isLoaded: Readonly<Ref<boolean>>
  readonly error: Readonly<Ref<unknown>>
  /** How many there are, where the service did not send all of them. */
  readonly total: Readonly<Ref<number | null>>
  /** Runs whose tags are not known, since they are being rebuilt. */
  readonly rebuilding: Readonly<Ref<readonly string[]>>
  retry(): void
}

/** The tags of several runs as one list. */
export function joinTags<K extends string>(
  runs: readonly string[],
  tagsOf: ReadonlyMap<string, readonly OwnTag<K>[]>,
): readonly ItemTag<K>[] {
  const joined = new Map<string, { tag: string; kinds: K[]; runs: string[]; lastStep: number }>()
  for (const run of runs) {
    for (const { tag, kind, lastStep } of tagsOf.get(run) ?? []) {
      const there = joined.get(tag) ?? { tag, kinds: [], runs: [], lastStep }
      joined.set(tag, there)
      if (!there.kinds.includes(kind)) there.kinds.push(kind)
      if (!there.runs.includes(run)) there.runs.push(run)
      there.lastStep = Math.max(there.lastStep, lastStep)
    }
  }
  return [...joined.values()]
}

interface RunTags<K extends string> {
  readonly tags: readonly OwnTag<K>[]
  /** How many tags there are, where the service did not send all; else 0. */
  readonly total: number
  /** Why nothing is known of a run that is being rebuilt. */
  readonly refusal: unknown
}

/** `filter` is what people have typed; the service is asked for it only where it does not send all tags. */
export function useItemTags<K extends string>(
  runs: () => readonly string[],
  kinds: readonly K[],
  filter: () => string = () => '',
): TagSource<ItemTag<K>> {
  /** A snapshot of `cache`: cards fetch anew with each, so runs that arrive together are shown together. */
  const loaded = shallowRef<ReadonlyMap<string, RunTags<K>>>(new Map())
  const cache = new Map<string, RunTags<K>>()
  const stale = new Set<string>()
  const isCut = ref(false)
  const search = (): string => (isCut.value ? wordsIn(filter()) : '')
  watch(search, () => {
    for (const run of runs()) stale.add(run)
  })

  async function fetchOne(run: string, signal: AbortSignal): Promise<RunTags<K>> {
    try {
      const { byKind, more } = await fetchTags(run, { kinds, search: search() }, signal)
      const tags = kinds.flatMap((kind) =>
        (byKind[kind] ?? []).map(({ tag, last_step }) => ({ tag, kind, lastStep: last_step })),
      )
      const total = Object.values(more).reduce((sum, { total: count }) => sum + count, 0)
      return { tags, total, refusal: null }
    } catch (problem) {
      // It must not keep the others from being shown.
      if (!isRebuilding(problem)) throw problem
      noteRefusal(problem)
      return { tags: cache.get(run)?.tags ?? [], total: 0, refusal: problem }
    }
  }

  async function fetchMissing(signal: AbortSignal): Promise<null> {
    const missing = runs().filter((run) => stale.has(run) || !cache.has(run))
    let shownAt = performance.now()
    const work = async (): Promise<void> => {
      for (let run = missing.shift(); run !== undefined; run = missing.shift()) {
        const tags = await fetchOne(run, signal)
        if (signal.aborted) return
        stale.delete(run)
        cache.set(run, tags)
        if (performance.now() - shownAt < SNAPSHOT_MS) continue
        shownAt = performance.now()
        loaded.value = new Map(cache)
      }
    }
    await Promise.all(Array.from({ length: CALLS }, work))
    if (signal.aborted) return null
    loaded.value = new Map(cache)
    if (runs().some((run) => (cache.get(run)?.total ?? 0) > 0)) isCut.value = true
    return null
  }

  const { error, retry } = useQuery({
    key: () => (runs().length > 0 ? JSON.stringify([runs(), search()]) : null),
    fetch: fetchMissing,
    concerns({ runs: changed }) {
      for (const run of changed.length === 0 ? runs() : changed) stale.add(run)
      return runs().some((run) => stale.has(run))
    },
    minIntervalMs: 0,
  })
  const rebuilding = computed(() => runs().filter((run) => loaded.value.get(run)?.refusal))

  return {
    tags: computed(() => joinTags(runs(), new Map([...loaded.value].map(([run, { tags }]) => [run, tags])))),
    isLoaded: computed(() => runs().every((run) => loaded.value.has(run))),
    error: computed(() => error.value ?? loaded.value.get(rebuilding.value[0] ?? '')?.refusal ?? null),
    rebuilding,
    total: computed(() => Math.max(0, ...runs().map((run) => loaded.value.get(run)?.total ?? 0)) || null),
    retry: () => void retry(),
  }
}
