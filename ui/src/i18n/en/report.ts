/** Words of reports. */

import { plural } from './grammar/plural'

export const report = {
  report: 'Report',
  hint: 'Save this page as a single HTML file that works offline',
  title: 'Title',
  note: 'Note',
  notePlaceholder: 'What does this show?',
  save: 'Save report',
  working: (at: number, all: number) => `Collecting ${at} of ${all}`,
  nothing: 'Nothing to report yet.',
  failed: 'Creating the report failed',
  made: 'Created',
  by: 'Created by',
  runs: 'Runs',
  folder: 'Base directory',
  source: 'View',
  labels: 'Labels',
  run: 'Run',
  downsampled: (points: string) =>
    `Curves are downsampled to at most ${points} points each; minima and maxima are kept.`,
  cut: (rows: string) => `${plural(Number(rows), 'more row', 'more rows')} not included in this report.`,
  moreNames: (names: string) => `${names} more`,
  more: 'more',
}
