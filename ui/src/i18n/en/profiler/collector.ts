/** Words for trainings that are connected. */

import { plural } from '../grammar/plural'

export const collector = {
  profileNow: 'Profile now',
  why: 'Profile the next steps of the running training without a restart',
  training: 'Training',
  steps: 'Steps to profile',
  stepUnit: 'steps',
  at: (step: string) => `at step ${step}`,
  ranks: (count: number) => plural(count, 'process', 'processes'),
  asked: 'requesting…',
  awaited: 'starts at the next step…',
  recording: 'recording…',
  recorded: 'done; the profile will show up here shortly',
  refused: (why: string) => `not profiled: ${why}`,
  dropped: (count: number) => `${plural(count, 'entry', 'entries')} dropped: spool full on the training host`,
}
