/** Words of the board of tables. */

import { plural } from '../grammar/plural'

export const tables = {
  find: 'Find in tables',
  noTables: 'No tables logged yet',
  noTablesWhy:
    'Tables that W&B and Trackio logged show up here as soon as a selected run has some. With the wandb package:',
  noneHere: 'No tables in these runs.',
  noRows: 'The table is empty.',
  noRowFits: 'No rows match.',
  rows: (count: string) => (count === '1' ? '1 row' : `${count} rows`),
  moreColumns: (count: number) => plural(count, 'more column', 'more columns'),
  rowsOf: (selected: string, total: string) => `${selected} of ${total} rows`,
  column: 'Column',
  anyColumn: 'no filter',
  comparison: 'Comparison',
  contains: 'contains',
  value: 'Value',
  row: 'Row',
  sortBy: (column: string) => `Sort by ${column}`,
  save: 'Download the selected rows (CSV)',
  close: 'Close row',
  stageLabel: (tag: string) =>
    `Table ${tag}. Left and right arrows change the step, Home and End jump to the first and last step.`,
  bodyLabel: (name: string) => `Rows of ${name}. Up and down arrows select a row, Escape closes it.`,
}
