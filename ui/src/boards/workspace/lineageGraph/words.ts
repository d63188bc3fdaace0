/** Words of the lineage graph and of the page about the differences of two runs. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('lineageGraph')
