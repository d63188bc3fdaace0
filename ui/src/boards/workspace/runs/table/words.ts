/** Words of the table of runs. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('runTable')
