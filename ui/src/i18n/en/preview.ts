/** Words of the dashboard of a run. */

import { plural } from './grammar/plural'

export const preview = {
  lastStep: 'Last step',
  firstWarnings: 'Parts of the logs could not be read:',
  allWarnings: (count: string) => (count === '1' ? 'Show the warning' : `Show all ${count} warnings`),
  allDetails: 'Files and details',
  notHere: (count: number) =>
    `${plural(count, 'data type', 'data types')} not in this run, and how to log ${count === 1 ? 'it' : 'them'}`,
  nothingYet: 'Nothing logged yet',
  nothingYetWhy: 'Data shows up here as soon as this run logs something. For example:',
  shape: 'Type and shape',
  least: 'Min',
  mean: 'Mean',
  most: 'Max',
  chart: 'Chart',
  points: 'Points',
  dimensions: 'Dimensions',
  graphSize: (nodes: string, edges: string, scopes: string) =>
    `${nodes} nodes · ${edges} edges · ${scopes} scopes`,
}
