/** Words of the page of a run. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('run')
