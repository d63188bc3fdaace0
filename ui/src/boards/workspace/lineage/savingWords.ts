/** Words of saves that failed. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('saving')
