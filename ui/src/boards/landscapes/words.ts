/** Words of the loss landscape board. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('landscapes')
