/** Words of the board of embeddings. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('embeddings')
