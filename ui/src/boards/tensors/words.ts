/** Words of the board of tensors. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('tensors')
