/** Words of reports. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('report')
