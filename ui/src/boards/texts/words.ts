/** Words of the text board. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('texts')
