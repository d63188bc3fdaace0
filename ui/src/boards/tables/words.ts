/** Words of the board of tables. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('tables')
