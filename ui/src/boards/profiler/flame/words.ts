/** Words of flame graphs. */

import { wordsOf } from '@/i18n'

export const flameWords = wordsOf('flame')
