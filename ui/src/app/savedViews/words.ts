/** Words of saved views. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('savedViews')
