import { onUnmounted, shallowRef, watch, type ShallowRef } from 'vue'

export interface Size {
  readonly width: number
  readonly height: number
}

/** Input that is handled by the size of what it meets; without one of these, the next frame is soon enough. */
const INPUT = ['keydown', 'pointerdown', 'wheel'] as const

/**
 * The inner size of `element` in pixels, followed as it changes; null before it is known. Observers report it in the first
 * frame, which a busy page draws late: input that comes earlier has it measured.
 */
export function useSize(
  element: Readonly<ShallowRef<HTMLElement | null>>,
): Readonly<ShallowRef<Size | null>> {
  const size = shallowRef<Size | null>(null)
  const observer = new ResizeObserver(([entry]) => {
    const { width, height } = entry!.contentRect
    size.value = visibleSize(width, height)
  })
  const measure = (): void => {
    if (size.value === null && element.value) size.value = innerSize(element.value)
  }
  watch(
    element,
    (now, before) => {
      if (before) observer.unobserve(before)
      for (const name of INPUT) before?.removeEventListener(name, measure, true)
      if (now) observer.observe(now)
      for (const name of INPUT) now?.addEventListener(name, measure, { capture: true, passive: true })
    },
    { immediate: true },
  )
  onUnmounted(() => observer.disconnect())
  return size
}

const visibleSize = (width: number, height: number): Size | null =>
  width > 0 && height > 0 ? { width, height } : null

/** What an observer would report as the content of `element`. */
function innerSize(element: HTMLElement): Size | null {
  const { width, height } = element.getBoundingClientRect()
  const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(element)
  // Borders and scroll bars are what lies between the offset and the client size.
  const across =
    element.offsetWidth - element.clientWidth + parseFloat(paddingLeft) + parseFloat(paddingRight)
  const down =
    element.offsetHeight - element.clientHeight + parseFloat(paddingTop) + parseFloat(paddingBottom)
  return visibleSize(width - across, height - down)
}
