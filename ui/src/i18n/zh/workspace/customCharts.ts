import type { customCharts as English } from '../../en/workspace/customCharts'

export const customCharts: typeof English = {
  charts: '图表',
  chartsShown: (visible, all) => `${visible} / ${all} 张图表`,
  noCharts: '还没有自定义图表',
  noChartsWhy: '训练脚本描述的多标量图表会显示在这里。描述方法：',
  unmatched: (count) => `${count} 个标签未找到`,
  unmatchedWhy: '布局中写有以下标签，但所选运行中没有与之匹配的标量：',
  nothingMatches: '所选运行中没有与此图表匹配的标量',
  invalid: '不是正则表达式',
  slow: '匹配耗时过长',
  damagedLayouts: (count, why) => `${count} 个布局无法读取：${why}`,
}
