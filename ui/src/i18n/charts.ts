/** Words of the board of custom charts. */

import { plural } from './plural'
import { words } from './words'

export const w = words(
  {
    charts: 'Charts',
    chartsShown: (shown: number, all: number) => `${shown} of ${plural(all, 'chart', 'charts')}`,
    noCharts: 'No custom charts described yet',
    noChartsWhy: 'Charts of several scalars, described by the training script, appear here. Describe one with:',
    unmatched: (count: number) => `${plural(count, 'tag', 'tags')} not found`,
    unmatchedWhy: 'The layout names these tags, but none of the chosen runs has a scalar that matches:',
    nothingMatches: 'No scalar of the chosen runs matches this chart',
    invalid: 'not a regular expression',
    slow: 'takes too long to match',
    damagedLayouts: (count: number, why: string) => `${plural(count, 'layout', 'layouts')} not readable: ${why}`,
  },
  {
    charts: '图表',
    chartsShown: (shown, all) => `${shown} / ${all} 张图表`,
    noCharts: '还没有自定义图表',
    noChartsWhy: '训练脚本描述的多标量图表会显示在这里。描述方法：',
    unmatched: (count) => `${count} 个标签未找到`,
    unmatchedWhy: '布局中写有以下标签，但所选运行中没有与之匹配的标量：',
    nothingMatches: '所选运行中没有与此图表匹配的标量',
    invalid: '不是正则表达式',
    slow: '匹配耗时过长',
    damagedLayouts: (count, why) => `${count} 个布局无法读取：${why}`,
  },
)
