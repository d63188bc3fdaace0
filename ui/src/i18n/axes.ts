/** Words of parallel axes and scatter plots. */

import { words } from './words'

export const w = words(
  {
    scales: { linear: 'linear axis', log: 'logarithmic axis', quantile: 'axis by ranks (quantiles)' } as Readonly<Record<'linear' | 'log' | 'quantile', string>>,
    shortScales: { linear: 'lin', log: 'log', quantile: 'rank' } as Readonly<Record<'linear' | 'log' | 'quantile', string>>,
    scale: 'Axis',
    scaleHint: (now: string, next: string) => `${now}; click for: ${next}`,
    moveAxis: (name: string) => `${name}: drag it or press the left and right arrow to move the axis, Delete clears its filter`,
    clearFilter: 'Clear the filter of this axis',
    parallelLabel: (rows: string, axes: number) => `Parallel axes: ${rows} lines over ${axes} axes. Drag along an axis to filter. Up and down arrows go from line to line, Enter ticks one.`,
    scatterLabel: (rows: string, plots: number) => `Scatter plots: ${rows} points in each of ${plots} plots. Drag a rectangle to filter. Up and down arrows go from point to point, Enter ticks one.`,
    tooFewAxes: 'Nothing to draw',
    tooFewAxesWhy: 'Show at least one column.',
    missing: 'no value',
  },
  {
    scales: { linear: '线性坐标', log: '对数坐标', quantile: '分位数坐标' },
    shortScales: { linear: '线性', log: '对数', quantile: '分位' },
    scale: '坐标轴',
    scaleHint: (now, next) => `${now}，点击切换为${next}`,
    moveAxis: (name) => `${name}：拖动或按左右方向键移动坐标轴，Delete 清除筛选`,
    clearFilter: '清除此轴的筛选',
    parallelLabel: (rows, axes) => `平行坐标图：${axes} 个坐标轴，${rows} 条线。沿坐标轴拖动可筛选，上下方向键逐条查看，回车勾选。`,
    scatterLabel: (rows, plots) => `散点图矩阵：共 ${plots} 幅，每幅 ${rows} 个点。拖出矩形可筛选，上下方向键逐点查看，回车勾选。`,
    tooFewAxes: '没有可绘制的内容',
    tooFewAxesWhy: '请至少显示一列。',
    missing: '无值',
  },
)
