/** Words of the comparison of two profiles. */

import { wordsOf } from '@/i18n'

export const comparisonWords = wordsOf('comparison')
