/** Words of sheets: tables of runs or sessions with columns to choose and filter. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('sheet')
