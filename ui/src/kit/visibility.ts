/** Whether an element is in view or close to it, so that far ones need not be drawn. */

import { onMounted, onUnmounted, ref, type Ref, type ShallowRef } from 'vue'

/** Pixels above and below the visible part that count as near, so that scrolling finds charts drawn. */
const MARGIN = 350

interface Watching {
  readonly observer: IntersectionObserver
  readonly reports: WeakMap<Element, (isNear: boolean) => void>
}

const watchings = new WeakMap<Element, Watching>()

/** One observer for everything that scrolls together. */
function watchingOf(scroller: Element): Watching {
  const cached = watchings.get(scroller)
  if (cached) return cached
  const reports: Watching['reports'] = new WeakMap()
  const observer = new IntersectionObserver(
    (entries) => entries.forEach((entry) => reports.get(entry.target)?.(entry.isIntersecting)),
    { root: scroller, rootMargin: `${MARGIN}px 0px` },
  )
  const watching = { observer, reports }
  watchings.set(scroller, watching)
  return watching
}

/** Follows `element` inside its nearest `[data-scroller]`. */
export function useNear(element: Readonly<ShallowRef<HTMLElement | null>>): Readonly<Ref<boolean>> {
  const isNear = ref(false)
  let stop: (() => void) | undefined
  onMounted(() => {
    const own = element.value!
    const { observer, reports } = watchingOf(own.closest('[data-scroller]') ?? document.body)
    reports.set(own, (near) => (isNear.value = near))
    observer.observe(own)
    stop = () => observer.unobserve(own)
  })
  onUnmounted(() => stop?.())
  return isNear
}
