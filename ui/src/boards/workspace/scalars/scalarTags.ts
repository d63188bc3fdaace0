/** The scalar tags of the chosen runs together. */

import { computed, ref, watch } from 'vue'
import { changesOf, useQuery } from '@/base/api/query'
import { wordsIn } from '@/base/pattern'
import type { TagSource } from '@/board/tags/itemTags'
import type { BoardTag } from '@/board/tags/useTagBoard'
import { fetchScalarTags, type ScalarTag } from './api'

export interface ScalarBoardTag extends BoardTag {
  /** NaN and infinite values over all runs. */
  readonly nonFinite: number
}

const boardTag = ({ tag, runs, last_step, non_finite }: ScalarTag): ScalarBoardTag => ({
  tag,
  runs,
  lastStep: last_step,
  nonFinite: non_finite,
})

/** `filter` is what people have typed; the service is asked for it only where it does not send all tags. */
export function useScalarTags(
  runs: () => readonly string[],
  filter: () => string = () => '',
): TagSource<ScalarBoardTag> {
  const isCut = ref(false)
  const { answer, ...state } = useQuery<
    Awaited<ReturnType<typeof fetchScalarTags>> & { readonly runs: string }
  >({
    key: () => (runs().length > 0 ? JSON.stringify([runs(), isCut.value ? wordsIn(filter()) : '']) : null),
    async fetch(signal) {
      const list = runs().join('\n')
      const response = await fetchScalarTags(runs(), isCut.value ? wordsIn(filter()) : '', signal)
      return { ...response, runs: list }
    },
    concerns: changesOf(runs),
    minIntervalMs: 0,
    steadyIntervalMs: 20_000,
  })
  const response = computed(() => (runs().length > 0 ? answer.value : null))
  // The filter of a list that is cut is for the service, until other runs are selected.
  watch([() => runs().join('\n'), response], ([list], [before]) => {
    if (list !== before) isCut.value = false
    else if (response.value?.runs === list && response.value.more) isCut.value = true
  })

  return {
    ...state,
    tags: computed(() => response.value?.tags.map(boardTag) ?? []),
    isLoaded: computed(() => state.isLoaded.value || runs().length === 0),
    total: computed(() => response.value?.more?.total ?? null),
  }
}
