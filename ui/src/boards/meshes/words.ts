/** Words of the board of meshes. */

import { wordsOf } from '@/i18n'

export const w = wordsOf('meshes')
