/** Words for views that a recording has nothing for: what is missing, and how it gets into the next one. */

import { wordsOf } from '@/i18n'

export const noDataWords = wordsOf('noData')
