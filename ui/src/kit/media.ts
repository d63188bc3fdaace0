/** What the window is like, as media queries tell. */

import { ref, type Ref } from 'vue'

function follows(query: string): Readonly<Ref<boolean>> {
  const list = window.matchMedia(query)
  const state = ref(list.matches)
  list.addEventListener('change', () => (state.value = list.matches))
  return state
}

/** Too narrow for lists beside charts, as on a phone. The same width stands in the style sheets. */
export const isPhone = follows('(max-width: 699px)')
