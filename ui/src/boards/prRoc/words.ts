/** Words of the board of PR and ROC curves. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('prRoc')
