/** Words that belong to one board and load with it. */

import { computed, type ComputedRef } from 'vue'
import { language } from './index'

/** `en` gives the shape, `zh` follows it; the result is the one of the chosen language. */
export const words = <W extends object>(en: W, zh: NoInfer<W>): ComputedRef<W> => computed(() => (language.value === 'zh' ? zh : en))
