/** The board of this folder, and the one that it may be. */

import { shallowRef, watch } from 'vue'
import { live, noteRefusal } from '@/base/api/live'
import { acceptOffer, declineOffer, fetchBoard, type BoardState, type Offer } from './api'

const state = shallowRef<BoardState | null>(null)

/** null before it is known. */
export const board = { state }

/** Follows the service, which looks for moved folders while it loads. */
export function followBoard(): void {
  const { service } = live
  watch(
    [() => service.value?.loading.state, () => service.value?.started_at, live.annotations],
    () => void load(),
  )
}

async function load(): Promise<void> {
  try {
    state.value = await fetchBoard()
  } catch (problem) {
    noteRefusal(problem)
  }
}

export async function useOffer(offer: Offer): Promise<void> {
  state.value = await acceptOffer(offer)
}

export async function refuseOffer(offer: Offer): Promise<void> {
  state.value = await declineOffer(offer)
}
