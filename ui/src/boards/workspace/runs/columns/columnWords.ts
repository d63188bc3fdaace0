/** What columns are called: in the language of the page where they have a name there, else as they were logged. */

import { wordsOf } from '@/i18n'
import type { TableColumn } from '@/boards/workspace/runs/table/api'

const words = wordsOf('runTable')
const lineage = wordsOf('lineage')

const SCALAR = /^scalar\/(.+)\/([^/]+)$/

/** The last part of a tag tells most; the whole of it stands in the menu and in the hint. */
export function columnLabel({ name, label }: Pick<TableColumn, 'name' | 'label'>): string {
  const scalar = SCALAR.exec(name)
  if (scalar) return scalar[2] === 'last' ? scalar[1]! : `${scalar[1]} ${scalar[2]}`
  return words.value.columns[name] ?? lineage.value.columns[name] ?? label
}

/** Canonical fields stand together, whatever they are about. */
export const FIELDS = 'field'

export const groupLabel = (group: string): string =>
  group === FIELDS ? words.value.fields : (lineage.value.groups[group] ?? group)

/** A kind of columns, as headings name it; every operator of a data pipeline is one of its own. */
export const kindOfColumn = ({ name, group }: Pick<TableColumn, 'name' | 'group'>): string =>
  group === 'pipeline' ? name.split('.')[0]! : groupLabel(group)

/** Below the name of its operator. */
export const shortLabel = (column: Pick<TableColumn, 'name' | 'label' | 'group'>): string =>
  column.group === 'pipeline'
    ? column.name.slice(column.name.indexOf('.') + 1) || column.name
    : columnLabel(column)

/** Values that experiments allow. */
function domainText(domain: TableColumn['domain'] | undefined): string {
  if (!domain) return ''
  return 'min' in domain
    ? lineage.value.intervalOf(String(domain.min), String(domain.max))
    : lineage.value.domainOf(domain.join(', '))
}

/** The columns that a canonical field is read from, and the values that experiments allow. */
export const columnHint = ({
  name,
  sources,
  domain,
}: Pick<TableColumn, 'name' | 'sources'> & Partial<Pick<TableColumn, 'domain'>>): string =>
  [
    name,
    sources.length > 0 ? words.value.sources(sources.map((source) => source.name).join(', ')) : '',
    domainText(domain),
  ]
    .filter(Boolean)
    .join('\n')
