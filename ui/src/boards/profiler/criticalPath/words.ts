/** Words of the tab about what a training waited for. */

import { wordsOf } from '@/i18n'

export const waitWords = wordsOf('criticalPath')
