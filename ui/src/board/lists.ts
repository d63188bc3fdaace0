/** Whether the lists beside a board are open. */

import { ref, type Ref } from 'vue'
import { isBoolean, remembered } from '@/base/storage'
import { isPhone } from '@/kit/media'

/** On a phone they lie over the cards, so each page begins without them. */
export const useLists = (): Ref<boolean> =>
  isPhone.value ? ref(false) : remembered('mi-lists', true, isBoolean)
