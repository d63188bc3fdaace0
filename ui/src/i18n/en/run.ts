/** Words of the page of a run. */

import { plural } from './grammar/plural'

export const run = {
  states: {
    running: 'running',
    finished: 'finished',
    failed: 'failed',
    stalled: 'stalled',
    unknown: 'state unknown',
  } as Readonly<Record<string, string>>,
  progress: (step: string, total: string) => `step ${step} of ${total}`,
  left: (time: string) => `about ${time} left`,
  started: (time: string, user: string, host: string) =>
    ['started', time, user && `by ${user}`, host && `on ${host}`].filter(Boolean).join(' '),
  took: (time: string) => `duration ${time}`,
  compareWithBest: 'Compare with best',
  isBest: 'Best run',
  openScalars: 'Open in Scalars',
  labels: 'Labels',
  note: 'Note',
  addNote: 'Add a note',
  results: 'Results',
  parameters: 'Parameters',
  surroundings: 'Code and environment',
  differ: (count: number) => `${plural(count, 'value', 'values')} changed since the parent run`,
  was: (value: string) => `was ${value}`,
  bestOf: (count: string) => `best of ${count}`,
  bestIs: (value: string) => `best: ${value}`,
  from: (names: string) => `from ${names}`,
  conflict: 'Sources disagree:',
  showMore: (count: number) => `Show ${plural(count, 'more', 'more')}`,
  showLess: 'Show less',
  profileWarning: 'profile',
  fileFacts: 'Details',
  thisRun: 'this run',
}
