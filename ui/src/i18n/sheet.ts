/** Words of sheets: tables of runs or sessions with columns to choose and filter. */

import { plural } from './plural'
import { words } from './words'

export const w = words(
  {
    table: 'Table',
    parallel: 'Parallel axes',
    scatter: 'Scatter matrix',
    view: 'View',
    colourBy: 'Colour by',
    oneColour: 'one colour',
    tickRow: (name: string) => `Tick ${name}`,
    tickAll: 'Tick all that are shown',
    untick: 'Untick all',
    showColumn: (name: string) => `Show ${name}`,
    showAll: 'all',
    showNone: 'none',
    filterColumn: (name: string) => `Filter by ${name}`,
    from: 'from',
    to: 'to',
    clearFilters: (count: number) => `Clear ${plural(count, 'filter', 'filters')}`,
    noValue: 'no value',
    noResultColumn: 'Show a result and a parameter to plot them against each other.',
  },
  {
    table: '表格',
    parallel: '平行坐标图',
    scatter: '散点图矩阵',
    view: '视图',
    colourBy: '着色依据',
    oneColour: '单一颜色',
    tickRow: (name) => `勾选 ${name}`,
    tickAll: '勾选所有显示的行',
    untick: '取消勾选',
    showColumn: (name) => `显示 ${name}`,
    showAll: '全选',
    showNone: '全不选',
    filterColumn: (name) => `按 ${name} 筛选`,
    from: '从',
    to: '到',
    clearFilters: (count) => `清除 ${count} 个筛选`,
    noValue: '无值',
    noResultColumn: '请至少显示一个指标和一个参数。',
  },
)
