/** What a lineage board shows. */

import { defineView, fields, flag, optionalText, text, type ViewOf } from '@/base/url/view'
import { SHEET_FIELDS } from '@/boards/workspace/sheet/sheetView'

export const lineageView = defineView(
  SHEET_FIELDS,
  fields({
    /** In the language of the search box. */
    query: text('q'),
    /** The result that parameters are judged by; null: the panel is closed. */
    target: optionalText('target'),
    /** Also runs of which nothing is known; a search always finds them. */
    isWhole: flag('all'),
  }),
)

export type LineageView = ViewOf<typeof lineageView>
