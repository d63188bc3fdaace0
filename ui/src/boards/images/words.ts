/** Words of the image board. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('images')
