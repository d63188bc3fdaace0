import { onUnmounted, shallowRef, watch, type ShallowRef } from 'vue'
import type { Size } from '@/charts/placing'

/** The inner size of `element` in pixels, followed as it changes; null before it is known. */
export function useSize(element: Readonly<ShallowRef<HTMLElement | null>>): Readonly<ShallowRef<Size | null>> {
  const size = shallowRef<Size | null>(null)
  const observer = new ResizeObserver(([entry]) => {
    const { width, height } = entry!.contentRect
    size.value = width > 0 && height > 0 ? { width, height } : null
  })
  watch(element, (now, before) => {
    if (before) observer.unobserve(before)
    if (now) observer.observe(now)
  }, { immediate: true })
  onUnmounted(() => observer.disconnect())
  return size
}
