import type { sheet as English } from '../../en/workspace/sheet'

export const sheet: typeof English = {
  table: '表格',
  parallel: '平行坐标图',
  scatter: '散点图矩阵',
  view: '视图',
  colourBy: '着色依据',
  oneColour: '单一颜色',
  tickRow: (name) => `选择 ${name}`,
  tickAll: '全选',
  showAll: '全选',
  showNone: '全不选',
  filterColumn: (name) => `按 ${name} 筛选`,
  from: '从',
  to: '到',
  filters: (count) => `${count} 个筛选`,
  clearFilters: (count) => `清除 ${count} 个筛选`,
  noValue: '无值',
  noResultColumn: '请至少显示一个度量指标和一个参数。',
}
