/** Words of the comparison of two profiles. */

import { words } from './words'

export const comparisonWords = words({
  with: 'Compare with', choose: 'Choose another recording', filter: 'Filter recordings', noOthers: 'There is no other recording', noOthersWhy: 'Recordings of all runs can be compared.',
  swap: 'Swap the two', none: 'Choose the recording to compare with', noneWhy: 'Operators, steps and call trees of both are then shown beside each other.',
  per: { step: 'for a mean step', recording: 'for the whole recording: one of the two has no steps' } as Readonly<Record<string, string>>,
  result: (what: string, from: string, to: string, change: string) => `${what} ${from} → ${to} (${change})`, step: 'Step', recording: 'Recording',
  chance: (p: string) => `p ${p}`, changed: 'changed', noise: 'within the noise', tooFew: 'too few steps to tell a change from noise',
  because: 'mostly:', apart: 'operators that differ most:', lineageDiffers: (names: string) => `lineage differs in ${names}`, more: (count: number) => `and ${count} more`,
  states: { all: 'All', appeared: 'Appeared', vanished: 'Vanished', slower: 'Slower', faster: 'Faster', same: 'Same' } as Readonly<Record<string, string>>, state: 'Change',
  columns: { name: 'Operator', side: 'Side', a: 'This', b: 'Other', difference: 'Difference', contribution: 'Of the step', a_count: 'Count', b_count: 'Other count', chance: 'p', change: 'Change' } as Readonly<Record<string, string>>,
  parts: 'Parts of a mean step', part: 'Part', this: 'This', other: 'Other', difference: 'Difference',
  operators: 'Operators by their difference, self time', lineage: 'What differs between the runs', sameRun: 'Both are of the same run.', noDifference: 'The lineage of the runs does not differ.',
  flame: 'Both call trees in one: orange takes more time in the other, blue less', flameBy: 'for a step each', csv: 'Download the comparison as CSV', value: 'Value', search: 'Search operators', rank: (rank: string) => `rank ${rank}`,
}, {
  with: '对比对象', choose: '选择另一份性能数据', filter: '筛选性能数据', noOthers: '没有其他性能数据', noOthersWhy: '所有运行的性能数据都可以互相对比。',
  swap: '交换两者', none: '请选择对比对象', noneWhy: '随后会并排显示两者的算子、迭代和调用树。',
  per: { step: '按平均每个迭代计', recording: '按整个采集过程计：其中之一没有迭代信息' },
  result: (what, from, to, change) => `${what} ${from} → ${to}（${change}）`, step: '迭代', recording: '采集过程',
  chance: (p) => `p ${p}`, changed: '有变化', noise: '属于波动', tooFew: '迭代太少，无法区分变化与波动',
  because: '主要来自：', apart: '差异最大的算子：', lineageDiffers: (names) => `溯源差异：${names}`, more: (count) => `等另外 ${count} 项`,
  states: { all: '全部', appeared: '新增', vanished: '消失', slower: '变慢', faster: '变快', same: '不变' }, state: '变化',
  columns: { name: '算子', side: '位置', a: '当前', b: '对比', difference: '差值', contribution: '占迭代差异', a_count: '次数', b_count: '对比次数', chance: 'p', change: '变化' },
  parts: '平均每个迭代的构成', part: '部分', this: '当前', other: '对比', difference: '差值',
  operators: '按差值排列的算子（自身耗时）', lineage: '两个运行的差异', sameRun: '两者属于同一个运行。', noDifference: '两个运行的溯源信息没有差异。',
  flame: '两棵调用树合一：橙色表示对比对象耗时更多，蓝色表示更少', flameBy: '均按每个迭代计', csv: '下载对比结果（CSV）', value: '取值', search: '搜索算子', rank: (rank) => `卡 ${rank}`,
})
