/** Words of the step trace and the overview of a profile. */

import { wordsOf } from '@/i18n'

export const stepWords = wordsOf('steps')
