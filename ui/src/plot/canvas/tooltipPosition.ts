import { nextTick, ref, watch, type Ref, type ShallowRef } from 'vue'
import { GAP, placeOutside } from './besideFrame'

/** Where something is read in the window, and the chart it is read in. */
export interface ReadPlace {
  readonly clientX: number
  readonly clientY: number
  readonly frame: DOMRect
}

/** Where the tooltip `panel` goes: beside the chart, or, where there is no room as in full screen, in the corner away from the pointer. */
export function useTooltipPlace(
  panel: Readonly<ShallowRef<HTMLElement | null>>,
  place: () => ReadPlace,
): Ref<readonly [number, number]> {
  const at = ref<readonly [number, number]>([-9999, 0])
  watch(
    place,
    async ({ frame, clientX, clientY }) => {
      await nextTick()
      if (!panel.value) return
      const { offsetWidth: width, offsetHeight: height } = panel.value
      const x = clientX > (frame.left + frame.right) / 2 ? frame.left + GAP : frame.right - width - GAP
      const y = clientY > frame.top + height + 4 * GAP ? frame.top + GAP : frame.bottom - height - GAP
      at.value = placeOutside(frame, clientX, width, height) ?? [x, Math.max(8, y)]
    },
    { immediate: true, flush: 'post' },
  )
  return at
}
