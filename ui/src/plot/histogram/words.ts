/** Words of the histogram chart. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('histogramChart')
