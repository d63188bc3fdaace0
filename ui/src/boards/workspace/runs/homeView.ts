/** What the home page shows: which runs, in which columns and order, and which of them are drawn. */

import {
  defineView,
  fields,
  flag,
  list,
  oneOf,
  optionalText,
  selection,
  text,
  type ViewOf,
} from '@/base/url/view'
import { CARD_FIELDS } from '@/board/tags/tagView'
import { CHART_FIELDS } from '@/boards/workspace/scalars/chartFields'
import { SHEET_FIELDS } from '@/boards/workspace/sheet/sheetView'

export const LAYOUTS = ['both', 'table', 'charts'] as const
export const TABS = ['table', 'parallel', 'scatter'] as const
export type Layout = (typeof LAYOUTS)[number]

/** Of the sheet: columns, order (names separated by commas; empty: best runs first), drawn runs (null: the first ones). */
export const homeView = defineView(
  SHEET_FIELDS,
  CARD_FIELDS,
  CHART_FIELDS,
  fields({
    /** In the query language; words on their own search the names. */
    query: text('query'),
    /** Name of the column set that is shown where no columns, order or groups are named; empty: what differs. */
    set: text('set'),
    /** Columns that runs are grouped by, outermost first; null: those of the column set. */
    group: selection('by'),
    /** Runs that stay on top of the table. */
    top: list('top'),
    /** The run that others are compared with. */
    baseline: optionalText('base'),
    layout: oneOf('show', LAYOUTS),
    /** The result that parameters are judged by; null: the panel is closed. */
    target: optionalText('target'),
    /** Also runs that are archived or hidden. */
    isWhole: flag('archived'),
  }),
)

export type HomeView = ViewOf<typeof homeView>
