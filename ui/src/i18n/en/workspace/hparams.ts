/** Words of the board of hyper-parameters. */

import { plural } from '../grammar/plural'

export const hparams = {
  session: 'Session',
  status: 'Status',
  started: 'Started',
  statuses: { unknown: 'unknown', success: 'finished', failure: 'failed', running: 'running' } as Readonly<
    Record<string, string>
  >,
  parameters: 'Hyperparameters',
  metrics: 'Metrics',
  searchSessions: 'Search sessions and values',
  sessionsShown: (visible: string, all: string) =>
    visible === all ? (all === '1' ? '1 session' : `${all} sessions`) : `${visible} of ${all} sessions`,
  metric: 'Metric value',
  metricHint: 'Which value of the curve represents the metric',
  reductions: { last: 'last', min: 'min', max: 'max' } as Readonly<Record<string, string>>,
  downloadTable: 'CSV (sessions as shown)',
  noSessions: 'No hyperparameters logged yet',
  noSessionsWhy: 'Sessions show up here as soon as one is logged. To log one:',
  noSessionMatches: 'No matching sessions',
  noSessionMatchesWhy: 'The search and filters exclude all sessions.',
  notReadable: (count: number) => `Cannot read hyperparameters of ${plural(count, 'run', 'runs')}`,
  compare: 'Compare with other sessions',
  domainOf: (text: string) => `one of ${text}`,
  intervalOf: (min: string, max: string) => `${min} to ${max}`,
  notDeclared: 'found in the logs, but not declared by the experiment',
}
