/** Words of the pages of profiles; each tab has its own beside them. */

import { wordsOf } from '@/i18n'

export const profilerWords = wordsOf('profiler')
