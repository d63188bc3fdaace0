/** Words of the input pipeline of a profile. */

import { wordsOf } from '@/i18n'

export const inputWords = wordsOf('inputPipeline')
