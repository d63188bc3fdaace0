/** Words of the dashboard of a run. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('preview')
