/** Words of the table of operators of a profile. */

import { wordsOf } from '@/i18n'

export const operatorWords = wordsOf('operators')
