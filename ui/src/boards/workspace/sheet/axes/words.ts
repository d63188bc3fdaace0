/** Words of parallel axes and scatter plots. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('axes')
