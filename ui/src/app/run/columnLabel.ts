/** What columns are called: in the language of the page where they have a name there, else as they were logged. */

import { wordsOf } from '@/i18n'
import type { TableColumn } from './api'

import { w } from './words'

const lineage = wordsOf('lineage')

export const columnLabel = ({ name, label }: Pick<TableColumn, 'name' | 'label'>): string =>
  w.value.fields[name] ?? (lineage.value.columns as Readonly<Record<string, string>>)[name] ?? label
