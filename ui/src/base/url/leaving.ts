/** Whether the page is about to be left: the next one is chosen, but its code may still be loading. */

import { onScopeDispose } from 'vue'
import { useRoute, useRouter } from 'vue-router'

/** A write to the address while this holds would cancel the navigation. */
export function useLeaving(): () => boolean {
  const route = useRoute()
  const router = useRouter()
  const own = route.path
  let isLeaving = false
  const stops = [
    router.beforeEach((to) => {
      isLeaving = to.path !== own
    }),
    router.afterEach((to) => {
      isLeaving = to.path !== own && route.path !== own
    }),
  ]
  onScopeDispose(() => stops.forEach((stop) => stop()))
  return () => isLeaving || route.path !== own
}
