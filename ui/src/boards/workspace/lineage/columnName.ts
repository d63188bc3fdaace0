/** Columns of the lineage that every run has, by what people call them; others by the name they were logged under. */

import { w } from './words'

export const columnName = (name: string): string => w.value.columns[name] ?? name
