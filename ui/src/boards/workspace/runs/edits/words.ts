/** Words of changes to runs. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('runEdits')
