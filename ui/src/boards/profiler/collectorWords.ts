/** Words for trainings that are connected. */

import { wordsOf } from '@/i18n'

export const collectorWords = wordsOf('collector')
