/** What columns are called: in the language of the page where they have a name there, else as they were logged. */

import { wordsOf } from '@/i18n'
import type { TableColumn } from './api'
import { w } from './words'

const lineage = wordsOf('lineage')

const SCALAR = /^scalar\/(.+)\/([^/]+)$/

/** The last part of a tag tells most; the whole of it stands in the menu and in the hint. */
export function columnLabel({ name, label }: Pick<TableColumn, 'name' | 'label'>): string {
  const scalar = SCALAR.exec(name)
  if (scalar) return scalar[2] === 'last' ? scalar[1]! : `${scalar[1]} ${scalar[2]}`
  return w.value.columns[name] ?? lineage.value.columns[name] ?? label
}

/** Canonical fields stand together, whatever they are about. */
export const FIELDS = 'field'

export const groupLabel = (group: string): string =>
  group === FIELDS ? w.value.fields : (lineage.value.groups[group] ?? group)

/** For a canonical field: the columns that it is read from. */
export const sourcesText = ({ sources }: Pick<TableColumn, 'sources'>): string =>
  sources.length > 0 ? w.value.sources(sources.map(({ name }) => name).join(', ')) : ''
