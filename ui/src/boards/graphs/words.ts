/** Words of the computation graph and the data pipeline. */

import { wordsOf } from '@/i18n'

export const graphWords = wordsOf('graphs')
