/** Words of the lineage boards. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('lineage')
