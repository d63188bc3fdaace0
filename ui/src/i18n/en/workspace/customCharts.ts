/** Words of the board of custom charts. */

import { plural } from '../grammar/plural'

export const customCharts = {
  charts: 'Charts',
  chartsShown: (visible: number, all: number) => `${visible} of ${plural(all, 'chart', 'charts')}`,
  noCharts: 'No custom charts yet',
  noChartsWhy: 'A training script can define charts of several scalars. To define one:',
  unmatched: (count: number) => `${plural(count, 'tag', 'tags')} not found`,
  unmatchedWhy: 'The layout lists these tags, but no scalar in the selected runs matches them:',
  nothingMatches: 'No scalar in the selected runs matches this chart',
  invalid: 'invalid regular expression',
  slow: 'takes too long to match',
  damagedLayouts: (count: number, why: string) => `${plural(count, 'layout', 'layouts')} unreadable: ${why}`,
}
