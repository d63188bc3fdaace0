/** Words of changes to runs: labels, names, colours, owners, archiving and hiding. */

import { plural } from '../grammar/plural'

const runs = (count: number): string => plural(count, 'run', 'runs')

const drawn = (count: number): string =>
  count === 1 ? 'the run in the charts' : `the ${count} runs in the charts`

export const runEdits = {
  more: 'More',
  forms: { label: 'Label…', owner: 'Owner…', colour: 'Colour…', rename: 'Rename…' },
  switches: { archive: 'Archive', unarchive: 'Unarchive', hide: 'Hide', unhide: 'Unhide' },
  hints: {
    archive: 'Done with: leave it out of lists. The logs stay as they are.',
    hide: 'Of no interest: leave it out of lists. The logs stay as they are.',
  },
  renameHint: 'Select one run to rename it.',
  titles: {
    label: (name: string | null, count: number) => `Label ${name ?? runs(count)}`,
    owner: (name: string | null, count: number) => `Owner of ${name ?? runs(count)}`,
    colour: (name: string | null, count: number) => `Colour of ${name ?? runs(count)}`,
    rename: (name: string | null, count: number) => `Rename ${name ?? runs(count)}`,
  },
  done: {
    label: (count: number) => `Labels of ${runs(count)} changed`,
    owner: (count: number) => `Owner of ${runs(count)} changed`,
    colour: (count: number) => `Colour of ${runs(count)} changed`,
    rename: (count: number) => `${runs(count)} renamed`,
    archive: (count: number) => `${runs(count)} archived`,
    unarchive: (count: number) => `${runs(count)} unarchived`,
    hide: (count: number) => `${runs(count)} hidden`,
    unhide: (count: number) => `${runs(count)} no longer hidden`,
  },
  commands: {
    label: (count: number) => `Label ${drawn(count)}`,
    owner: (count: number) => `Set the owner of ${drawn(count)}`,
    colour: (count: number) => `Set the colour of ${drawn(count)}`,
    rename: (count: number) => `Rename ${drawn(count)}`,
    archive: (count: number) => `Archive ${drawn(count)}`,
    unarchive: (count: number) => `Unarchive ${drawn(count)}`,
    hide: (count: number) => `Hide ${drawn(count)}`,
    unhide: (count: number) => `Unhide ${drawn(count)}`,
  },
  nothingChanged: 'Nothing to change: it was so already',
  undo: 'Undo',
  redo: 'Redo',
  undone: 'Undone',
  redone: 'Done again',
  skipped: (count: number) => `Undone, except for ${runs(count)} that somebody has changed since`,
  changedSince: 'Not undone: somebody has changed it since',
  failed: (why: string) => `Nothing was changed: ${why}`,
  // dialog
  currentLabels: 'Labels of these runs',
  addLabels: 'Add labels',
  labelsHint: 'Separated by commas',
  removeLabel: 'Remove from all of these runs',
  keepLabel: 'Keep',
  owner: 'Owner',
  newName: 'Name to show; empty for its own',
  mixed: 'Different values',
  ownColour: 'Another colour',
  automatic: 'Automatic',
  sameColour: 'All of these runs get the same colour.',
  logsStay: 'The log files stay as they are.',
  conflict: (theirs: string) =>
    theirs === ''
      ? 'Somebody else has removed it in the meantime.'
      : `Somebody else has changed it to “${theirs}” in the meantime.`,
  overwrite: 'Overwrite',
  keepTheirs: 'Keep theirs',
  cancel: 'Cancel',
  save: 'Save',
  // what lists leave out
  archived: 'Archived',
  hidden: 'Hidden',
  leftOut: (archived: number, hidden: number) =>
    [archived > 0 ? `${archived} archived` : '', hidden > 0 ? `${hidden} hidden` : '']
      .filter(Boolean)
      .join(', '),
  showLeftOut: 'show',
  hideLeftOut: 'leave out',
}
