/** Words of every drawing of nodes and wires. */

import { wordsOf } from '@/i18n'

export const drawingWords = wordsOf('graphDrawing')
