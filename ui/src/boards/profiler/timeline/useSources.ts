/** The recordings on the timeline: the chosen one first, others of its session below it on the same clock. */

import { onScopeDispose, shallowRef, watch, type ShallowRef } from 'vue'
import { isAbort } from '@/base/api/client'
import { useLatestRequest } from '@/base/api/latestRequest'
import { noteRefusal } from '@/base/api/live'
import { answerOf } from '@/boards/profiler/shared/analysisRequests'
import type { Profile } from '@/boards/profiler/shared/api'
import { Fetching } from './tiles/tileFetching'
import { Tiles } from './tiles/tiles'
import type { Source, TrackAnswer } from './tiles/traceSource'

/** One that is loaded, being loaded, or failed. */
export interface Recording {
  readonly profile: Profile
  readonly source: Source | null
  /** 0 to 1 while it is being analysed. */
  readonly progress: number
  readonly error: unknown
}

/** `arrived` is called whenever there is more to draw. */
export function useSources(
  profiles: () => readonly Profile[],
  arrived: () => void,
): Readonly<ShallowRef<readonly Recording[]>> {
  const recordings = shallowRef<readonly Recording[]>([])
  const signal = useLatestRequest().start()

  function note(profile: Profile, patch: Partial<Recording>): void {
    recordings.value = recordings.value.map((each) =>
      each.profile.id === profile.id ? { ...each, ...patch } : each,
    )
  }

  async function load(profile: Profile, first: Promise<TrackAnswer> | null): Promise<TrackAnswer> {
    const { id } = profile
    const waits = ({ progress }: { progress: number }): void => note(profile, { progress })
    const about = await answerOf(id, 'tracks', {}, signal, waits)
    const [texts, steps] = await Promise.all([
      answerOf(id, 'texts', { etag: about.names_etag }, signal),
      answerOf(id, 'steps', {}, signal).then(({ steps }) => steps),
    ])
    const origin = first ? (await first).origin_ns : about.origin_ns
    // Where a recording does not know the time of day, both begin together.
    const offset = origin && about.origin_ns ? about.origin_ns - origin : 0
    const tiles = new Tiles()
    const fetching = new Fetching(id, tiles, arrived, (error) => note(profile, { error }))
    note(profile, { source: { profile, about, texts, steps, tiles, fetching, offset }, error: null })
    return about
  }

  let first: Promise<TrackAnswer> | null = null
  watch(
    () =>
      profiles()
        .map(({ id }) => id)
        .join(),
    () => {
      const before = new Map(recordings.value.map((each) => [each.profile.id, each]))
      const current = profiles()
      for (const [id, { source }] of before)
        if (!current.some((profile) => profile.id === id)) source?.fetching.close()
      recordings.value = current.map(
        (profile) => before.get(profile.id) ?? { profile, source: null, progress: 0, error: null },
      )
      for (const profile of current) {
        if (before.has(profile.id)) continue
        const loading = load(profile, first)
        first ??= loading
        loading.catch((error: unknown) => {
          if (isAbort(error)) return
          noteRefusal(error)
          note(profile, { error })
        })
      }
    },
    { immediate: true },
  )

  onScopeDispose(() => {
    for (const { source } of recordings.value) source?.fetching.close()
  })
  return recordings
}
