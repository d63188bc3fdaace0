/** Words of saved views. */

export const savedViews = {
  view: 'View',
  savedViews: 'Saved views',
  hint: 'Shared with everyone on this server',
  name: 'View name',
  namePlaceholder: 'Save this view as…',
  save: 'Save',
  update: 'Update',
  updateHint: 'Replace this saved view with the current one',
  rename: (name: string) => `Rename: ${name}`,
  copyLink: (name: string) => `Copy link: ${name}`,
  delete: (name: string) => `Delete: ${name}`,
  reallyDelete: 'Delete for everyone',
  keep: 'Keep',
  now: 'current view',
  none: 'No saved views yet. Name this one and share its link.',
  noneToRead: 'No saved views yet.',
  failed: 'Saving failed',
  conflictName: (name: string) =>
    `Someone else has changed this view in the meantime; it is now called “${name}”.`,
  conflictAddress: (name: string) => `Someone else has changed the view “${name}” in the meantime.`,
  overwrite: 'Save mine',
  deleteAnyway: 'Delete anyway',
  takeTheirs: 'Keep theirs',
  goneTitle: 'View not found',
  goneWhy: 'It was deleted or belongs to another base directory.',
}
