/** Words of the histogram board. */

import { plural } from '../grammar/plural'

export const histograms = {
  look: 'View',
  lookOffset: 'Offset',
  lookOffsetHint: 'Steps stacked in depth, viewed at 45 degrees',
  lookOverlay: 'Overlay',
  lookOverlayHint: 'Front view with all steps overlaid; later steps are more opaque',
  lookBands: 'Distribution',
  lookBandsHint: 'Percentile bands over training: min–max, 7–93 %, 16–84 %, 31–69 %, and the median',
  countPerPart: 'Count per bin',
  logCount: 'Log counts',
  logCountHint: 'Keeps bins with few values visible next to large ones',
  noHistograms: 'No histograms logged yet',
  noHistogramsWhy: 'Charts show up here as soon as a histogram is logged. To log one:',
  noHistogramSteps: 'No histograms in these runs.',
  noFiniteValues: 'No finite values at these steps.',
  notFiniteHint:
    'Non-finite values in the steps drawn. Triangles mark their steps; hover over one for its count.',
  stepsDrawn: (visible: string, total: string) => `Evenly sampled: ${visible} of ${total} steps`,
  downloadBuckets: 'CSV (all buckets of all steps)',
  histogramLabel: (tag: string, count: number) =>
    `Histograms of ${tag}, ${plural(count, 'step', 'steps')}. Up and down arrows change the step, left ` +
    'and right the bucket, + zooms in, − undoes a zoom, 0 resets the zoom.',
}
