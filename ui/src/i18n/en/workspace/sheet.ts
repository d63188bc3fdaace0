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
  untick: 'Clear selection',
  openScalars: (count: number) => `Scalars (${count})`,
  tickHint: 'All boards show the selected runs',
  openIn: 'Open in another board',
  compare: 'Compare',
  compareShown: 'Compare all shown',
  why: 'Diff',
  whyHint: 'Differences between the two runs, most likely causes first',
  lineageOf: (name: string) => `Lineage graph of ${name}`,
  showColumn: (name: string) => `Show ${name}`,
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
