/** 由表达式构成的自定义图表的用语。 */

import type { expressions as english } from '../../en/workspace/expressions'

export const expressions: typeof english = {
  add: '添加图表',
  addHint: '由标量表达式绘制图表，例如 train/loss - eval/loss',
  group: '自定义图表',
  expression: '表达式',
  example: 'train/loss - eval/loss',
  name: '名称',
  nameHint: '可选',
  insert: '插入标签',
  help: '可用 + - * / ( )、数字、abs(x)、log(x)、ema(x, 0.9)，delta(x) 表示与基线之差。含其他字符的标签请加引号。',
  runs: (count, all) => `${all} 个运行中有 ${count} 个具有这些标签`,
  noBaselineTitle: '没有基线',
  noBaseline: '请在数值表中选择基线，以绘制与基线之差。',
  save: '添加',
  change: '更改',
  edit: (name) => `编辑 ${name}`,
  remove: (name) => `移除 ${name}`,
  problems: {
    too_long: '表达式过长：最多 2,000 个字符。',
    open_quote: '引号未闭合。',
    unexpected: (text: string) => `意外的“${text}”。`,
    expected: (text: string) => (text === '' ? '表达式不完整。' : `意外的“${text}”。`),
    ambiguous: '连续的 / 和 - 过多：请为含有它们的标签加引号。',
    too_deep: '嵌套过深。',
    too_many: '运算符和函数过多：最多 100 个。',
    no_tag: '表达式中没有标签。',
    unknown_tag: (text: string) => `所选运行均没有标签“${text}”。`,
    unknown_function: (text: string) => `未知函数“${text}”：可用 abs、log、ema 和 delta。`,
    bad_weight: 'ema(x, 权重)：权重为 0 到 1（不含 1）之间的数字，例如 0.9。',
  },
}
