/** The slice that is looked at: where it lies, its arrows, and the way to its neighbours. */

import { computed, type ComputedRef, type ShallowRef } from 'vue'
import { isAbort } from '@/base/api/client'
import { useQuery } from '@/base/api/query'
import type { SliceInfo } from './responses'
import { arrowsOf, type Arrow } from './drawing/arrows'
import { answerOf } from '@/boards/profiler/shared/analysisRequests'
import type { Drawn } from './sliceLookup'
import type { Source } from './tiles/traceSource'

export type Direction = 'left' | 'right' | 'up' | 'down'

interface Found {
  readonly key: string
  readonly info: SliceInfo
  readonly arrows: readonly Arrow[]
}

export interface SelectedSlice {
  readonly drawn: ComputedRef<Drawn | null>
  readonly info: ComputedRef<SliceInfo | null>
  readonly arrows: ComputedRef<readonly Arrow[]>
  readonly error: Readonly<ShallowRef<unknown>>
  /** The row of a neighbour: the one before or after it in its lane, what called it, what it called first. */
  neighbour(direction: Direction): Promise<number | null>
}

const MOST_FLOWS = 300

/** `place` is null while nothing is chosen. */
export function useSelectedSlice(
  place: () => { readonly source: number; readonly row: number } | null,
  sources: () => readonly (Source | null)[],
): SelectedSlice {
  const sourceOf = (): Source | null => sources()[place()?.source ?? -1] ?? null
  const keyOf = (): string | null => {
    const source = sourceOf()
    return source && place() ? `${source.profile.id} ${place()!.row}` : null
  }
  const { answer, error } = useQuery<Found>({
    key: keyOf,
    concerns: () => false,
    fetch: async (signal) => {
      const [key, source, { source: at, row }] = [keyOf()!, sourceOf()!, place()!]
      const { id } = source.profile
      const info = await answerOf(id, ['slices/{row}', row], {}, signal)
      const { flows } = await answerOf(id, 'timeline/flows', { row, limit: MOST_FLOWS }, signal)
      return { key, info, arrows: arrowsOf(at, info, flows) }
    },
  })
  const current = computed(() => (answer.value?.key === keyOf() ? answer.value : null))
  const info = computed(() => current.value?.info ?? null)
  const drawn = computed<Drawn | null>(() => {
    if (!info.value) return null
    const { row, name, track, lane, start_ns: start, duration_ns: duration } = info.value
    return {
      source: place()!.source,
      row,
      name,
      track,
      lane,
      begin: start + sourceOf()!.offset,
      duration,
      count: 1,
    }
  })

  return {
    drawn,
    info,
    arrows: computed(() => current.value?.arrows ?? []),
    error,
    async neighbour(direction) {
      const [from, source] = [info.value, sourceOf()]
      if (!from || !source) return null
      if (direction === 'up') return from.parents.at(-1)?.row ?? null
      if (direction === 'down') return from.children[0]?.row ?? null
      // Rows are in order of tracks, lanes and times.
      const next = from.row + (direction === 'left' ? -1 : 1)
      if (next < 0) return null
      try {
        const { track, lane } = await answerOf(
          source.profile.id,
          ['slices/{row}', next],
          {},
          AbortSignal.timeout(10_000),
        )
        return track === from.track && lane === from.lane ? next : null
      } catch (problem) {
        if (isAbort(problem) || problem instanceof Error) return null // there is none behind the last one
        throw problem
      }
    },
  }
}
