import type { axes as English } from '../../en/workspace/axes'

export const axes: typeof English = {
  scales: { linear: '线性坐标', log: '对数坐标', quantile: '分位数坐标' },
  shortScales: { linear: '线性', log: '对数', quantile: '分位' },
  scale: '坐标轴',
  scaleHint: (now, next) => `${now}，点击切换为${next}`,
  moveAxis: (name) => `${name}：拖动或按左右方向键移动坐标轴，Delete 清除筛选`,
  clearFilter: '清除此轴的筛选',
  parallelLabel: (rows, axes) =>
    `平行坐标图：${axes} 个坐标轴，${rows} 条线。沿坐标轴拖动可筛选，上下方向键逐条查看，回车选择。`,
  scatterLabel: (rows, plots) =>
    `散点图矩阵：共 ${plots} 幅，每幅 ${rows} 个点。拖出矩形可筛选，上下方向键逐点查看，回车选择。`,
  tooFewAxes: '没有可绘制的内容',
  tooFewAxesWhy: '请至少显示一列。',
  missing: '无值',
}
