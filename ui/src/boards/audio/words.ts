/** Words of the audio board. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('audio')
