/** Words of boards: whose notes, labels and views are shown. */

import { plural } from './grammar/plural'

export const boardOffer = {
  looksLike: (name: string, where: string) =>
    `This directory looks like the board “${name}”${where && ` at ${where}`}.`,
  sameRuns: (same: string, all: string) => `${same} of ${all} runs are the same.`,
  sameNames: (same: string, all: string) => `${same} of ${all} runs have the same name.`,
  question: (notes: number, labelled: number, views: number) => {
    const counts = [
      plural(notes, 'note', 'notes'),
      plural(labelled, 'labelled run', 'labelled runs'),
      plural(views, 'saved view', 'saved views'),
    ]
    return `Use its annotations (${counts.join(', ')})?`
  },
  use: 'Use them',
  decline: 'Keep separate',
  failed: 'Saving failed',
  problem: 'Some notes, labels or views cannot be shown',
}
