/** Words of the console. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('runConsole')
