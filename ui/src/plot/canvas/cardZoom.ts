/** CardZoom into a chart and back out, step by step. */

import { computed, shallowRef, watch, type ComputedRef } from 'vue'
import { arriveAt, current, stepBack, zoomInto, type Box, type ZoomPath } from '@/plot/zoom'

export interface CardZoom {
  readonly canGoBack: ComputedRef<boolean>
  zoom(box: Box): void
  pan(box: Box): void
  back(): void
  restore(): void
}

/** `box` is what is shown now, wherever that comes from; `show` and `move` ask for another part. */
export function useCardZoom(
  box: () => Box | null,
  show: (box: Box | null) => void,
  move: (box: Box) => void,
): CardZoom {
  // The boxes on the way to what is shown now; a view from a URL starts a way of its own.
  const path = shallowRef<ZoomPath>(arriveAt([], box()))
  let isPanning = false
  watch(
    box,
    (now) => (path.value = isPanning ? [...path.value.slice(0, -1), now!] : arriveAt(path.value, now)),
  )

  return {
    canGoBack: computed(() => path.value.length > 0),
    zoom(next) {
      isPanning = false
      path.value = zoomInto(path.value, next)
      show(next)
    },
    pan(next) {
      isPanning = true
      move(next)
    },
    back() {
      isPanning = false
      path.value = stepBack(path.value)
      show(current(path.value))
    },
    restore() {
      isPanning = false
      if (box()) show(null)
    },
  }
}
