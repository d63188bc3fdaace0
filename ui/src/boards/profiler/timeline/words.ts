/** Words of the timeline of a profile. */

import { wordsOf } from '@/i18n'

export const timelineWords = wordsOf('timeline')
