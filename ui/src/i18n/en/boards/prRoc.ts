/** Words of the board of PR and ROC curves. */

import { plural } from '../grammar/plural'

export const prRoc = {
  chartPer: 'One chart per',
  perTag: 'Tag',
  perTagHint: 'One chart for each tag',
  perGroup: 'Group',
  perGroupHint: 'Tags with the same prefix, such as the classes of a classifier, share a chart',
  timeShown: 'Show time as',
  threshold: 'Threshold',
  precision: 'Precision',
  recall: 'Recall',
  falseRate: 'False positive rate',
  trueRate: 'True positive rate',
  falseRateShort: 'FPR',
  trueRateShort: 'TPR',
  averagePrecision: 'AP',
  area: 'AUC',
  averagePrecisionHint:
    'AP: average precision, the precision at each logged point weighted by the increase in recall',
  areaHint: 'AUC: area under the curve through the logged points',
  noCurves: 'No PR or ROC curves logged yet',
  noCurvesWhy: 'Curves show up here as soon as one is logged. To log one:',
  noCurveSteps: 'No PR or ROC curves in these runs.',
  downloadPoints: 'CSV (all points of all steps)',
  undoZoom: 'Reset zoom',
  chartLabel: (tag: string, count: number) =>
    `Curves of ${tag}, ${plural(count, 'curve', 'curves')}. Left and right arrows change the step, Space ` +
    'plays, up and down arrows change the threshold, 0 resets the zoom.',
}
