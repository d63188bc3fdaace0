/** Words of the board of hyper-parameters. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('hparams')
