/** Words of the memory of a profile. */

import { wordsOf } from '@/i18n'

export const memoryWords = wordsOf('memory')
