/** Words of sheets: tables of runs or sessions with columns to choose and filter. */

import { plural } from '../grammar/plural'

export const sheet = {
  table: 'Table',
  parallel: 'Parallel coordinates',
  scatter: 'Scatter matrix',
  view: 'View',
  colourBy: 'Colour by',
  oneColour: 'single colour',
  tickRow: (name: string) => `Select ${name}`,
  tickAll: 'Select all',
  showAll: 'All',
  showNone: 'None',
  filterColumn: (name: string) => `Filter by ${name}`,
  from: 'from',
  to: 'to',
  filters: (count: number) => plural(count, 'filter', 'filters'),
  clearFilters: (count: number) => `Clear ${plural(count, 'filter', 'filters')}`,
  noValue: 'no value',
  noResultColumn: 'Show at least one metric and one parameter.',
}
