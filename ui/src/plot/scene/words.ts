/** Words about scenes, in both languages. */

import { wordsOf } from '@/i18n'

export const s = wordsOf('scene')
