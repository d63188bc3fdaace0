/** Words of boards: whose notes, labels and views are shown. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('boardOffer')
