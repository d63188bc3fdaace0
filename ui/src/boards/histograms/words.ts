/** Words of the histogram board. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('histograms')
