/** The boards and pages of several runs that at least one run has something for. */

import { computed, watch } from 'vue'
import { live } from '@/base/api/live'
import { isStrings, remembered } from '@/base/storage'
import { BOARDS, OVERVIEWS } from './registry'

// Remembered, so that the rail stands as it is going to be before the service has answered.
const kinds = remembered('mi-kinds', ['scalars'], isStrings)
watch(live.service, (service) => {
  if (service) kinds.value = [...service.kinds]
})

const isOffered = (having: readonly string[]): boolean => having.some((kind) => kinds.value.includes(kind))

export const offeredBoards = computed(() =>
  BOARDS.filter((board) => !board.isOfOneRun && isOffered(board.kinds)),
)

export const offeredOverviews = computed(() =>
  OVERVIEWS.filter((overview) => overview.kinds === undefined || isOffered(overview.kinds)),
)
