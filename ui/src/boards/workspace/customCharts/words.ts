/** Words of the board of custom charts. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('customCharts')
