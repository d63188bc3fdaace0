/** The order of the table: column names, the first one decides, `-` for descending. */

import type { Direction } from './api'

const nameOf = (entry: string): string => entry.replace(/^-/, '')
const entryOf = (name: string, direction: Direction): string => (direction === 'max' ? `-${name}` : name)

/** `max`: the largest first; null: not sorted by this column. */
export function directionOf(sort: readonly string[], name: string): Direction | null {
  const entry = sort.find((each) => nameOf(each) === name)
  if (entry === undefined) return null
  return entry.startsWith('-') ? 'max' : 'min'
}

/**
 * After a click on a heading: `first` and then the other way round, alone or (`isAdded`) after the columns
 * before it; a third click ends sorting by it.
 */
export function sortedBy(
  sort: readonly string[],
  name: string,
  first: Direction,
  isAdded: boolean,
): readonly string[] {
  const direction = directionOf(sort, name)
  const next = direction === null ? first : direction === first ? (first === 'max' ? 'min' : 'max') : null
  if (!isAdded) return next === null ? [] : [entryOf(name, next)]
  return sort
    .flatMap((each) => (nameOf(each) === name ? [] : [each]))
    .concat(next ? [entryOf(name, next)] : [])
}
