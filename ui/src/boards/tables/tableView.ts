/** What a board of tables shows. */

import { STEP_FIELDS } from '@/board/steps/stepView'
import { TAG_FIELDS } from '@/board/tags/tagView'
import { byCard, defineView, fields, text, type ViewOf } from '@/base/url/view'

/** By names of columns: tables side by side may have different ones. */
export interface Sort {
  readonly column: string
  readonly isDescending: boolean
}

export const COMPARISONS = ['contains', '=', '<', '>'] as const
export type Comparison = (typeof COMPARISONS)[number]

export interface Condition {
  readonly column: string
  readonly comparison: Comparison
  readonly value: string
}

// In front of names of cards, so that names and values are encoded.
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

export function readSort(text: string): Sort | null {
  const column = decoded(text.replace(/^[+-]/, ''))
  return column === null || !/^[+-]/.test(text) ? null : { column, isDescending: text.startsWith('-') }
}

export const writeSort = ({ column, isDescending }: Sort): string =>
  `${isDescending ? '-' : '+'}${encodeURIComponent(column)}`

export function readCondition(text: string): Condition | null {
  const [name, comparison, content, ...rest] = text.split(':')
  const [column, value] = [decoded(name ?? ''), decoded(content ?? '')]
  const known = COMPARISONS.find((each) => each === comparison)
  return column === null || value === null || known === undefined || content === undefined || rest.length > 0
    ? null
    : { column, comparison: known, value }
}

export const writeCondition = ({ column, comparison, value }: Condition): string =>
  [encodeURIComponent(column), comparison, encodeURIComponent(value)].join(':')

export const tableView = defineView(
  TAG_FIELDS,
  STEP_FIELDS,
  fields({
    /** Words that a cell of each row contains. */
    find: text('find'),
    sorts: byCard<Sort>('sort', readSort, writeSort),
    conditions: byCard<Condition>('where', readCondition, writeCondition),
  }),
)

export type TableView = ViewOf<typeof tableView>

/** What a click on the header of a column asks for: ascending, descending, as logged. */
export function nextSort(sort: Sort | null, column: string): Sort | null {
  if (sort?.column !== column) return { column, isDescending: false }
  return sort.isDescending ? null : { column, isDescending: true }
}
