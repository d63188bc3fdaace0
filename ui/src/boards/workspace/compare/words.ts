/** Words of the comparison. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('compare')
