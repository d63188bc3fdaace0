/** What the board of hyper-parameters shows. */

import { defineView, fields, oneOf, text, type ViewOf } from '@/base/url/view'
import { SHEET_FIELDS } from '@/boards/workspace/sheet/sheetView'
import type { Reduction } from './api'

export const hparamView = defineView(
  SHEET_FIELDS,
  fields({ search: text('q'), metric: oneOf<Reduction>('metric', ['last', 'min', 'max']) }),
)

export type HparamView = ViewOf<typeof hparamView>
