/** Words of parallel axes and scatter plots. */

export const axes = {
  scales: { linear: 'Linear scale', log: 'Log scale', quantile: 'Quantile scale' } as Readonly<
    Record<'linear' | 'log' | 'quantile', string>
  >,
  shortScales: { linear: 'lin', log: 'log', quantile: 'quant' } as Readonly<
    Record<'linear' | 'log' | 'quantile', string>
  >,
  scale: 'Scale',
  scaleHint: (now: string, next: string) => `${now}. Click to switch to: ${next}`,
  moveAxis: (name: string) =>
    `${name}: drag or press the left and right arrow keys to move the axis. Delete clears its filter.`,
  clearFilter: 'Clear filter',
  parallelLabel: (rows: string, axes: number) =>
    `Parallel coordinates: ${rows} lines, ${axes} axes. Drag along an axis to filter. Up and down arrows ` +
    'move between lines, Enter selects one.',
  scatterLabel: (rows: string, plots: number) =>
    `Scatter matrix: ${rows} points in each of ${plots} plots. Drag a rectangle to filter. Up and down ` +
    'arrows move between points, Enter selects one.',
  tooFewAxes: 'Nothing to plot',
  tooFewAxesWhy: 'Show at least one column.',
  missing: 'no value',
}
