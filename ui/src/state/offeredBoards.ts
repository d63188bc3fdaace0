/** The boards of several runs that at least one run has something for. */

import { computed, watch } from 'vue'
import { BOARDS } from '@/pages/boards'
import { live } from './live'
import { isStrings, remembered } from './remembered'

// Remembered, so that the rail stands as it is going to be before the service has answered.
const kinds = remembered('mi-kinds', ['scalars'], isStrings)
watch(live.service, (service) => {
  if (service) kinds.value = [...service.kinds]
})

export const offeredBoards = computed(() => BOARDS.filter((board) => !board.isOfOneRun && board.kinds.some((kind) => kinds.value.includes(kind))))
