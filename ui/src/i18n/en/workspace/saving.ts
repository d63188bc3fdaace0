/** Words of saves that failed. */

export const saving = {
  failed: 'Saving failed',
  retry: 'Retry',
  discard: 'Discard',
  conflict: 'Someone else has changed this in the meantime',
  theirs: 'Theirs (saved)',
  mine: 'Yours (not saved)',
  deleted: '(deleted)',
  merge: 'Merge',
  mergeHint: 'Combine both texts; edit before you save',
  overwrite: 'Save mine',
  overwriteHint: 'Replace their version with yours',
  takeTheirs: 'Keep theirs',
  takeTheirsHint: 'Discard your changes',
}
