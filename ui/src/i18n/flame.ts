/** Words of flame graphs. */

import { words } from './words'

export const flameWords = words({
  chart: 'Flame graph: call trees merged by name, each call as wide as its time',
  by: 'Width', time: 'Time', device: 'Device work launched',
  track: 'Thread or stream', allTracks: 'All threads and streams',
  step: 'Step', allSteps: 'Whole recording', stepOf: (number: string) => `Step ${number}`,
  search: 'Highlight names',
  found: (time: string, share: string) => `highlighted: ${time} (${share})`,
  all: 'All', whole: (time: string) => `all ${time}`,
  total: 'total', self: 'self', count: 'count', of: 'of all',
  cut: (count: string) => `${count} small calls are left out`,
  help: 'Click or Enter goes into a call, Escape goes back, arrow keys move.',
  none: 'Nothing was recorded here',
  before: 'before', after: 'now', slower: 'takes more', faster: 'takes less',
  copy: 'Copy the name', operators: 'Show it among the operators',
}, {
  chart: '火焰图：按名称合并的调用树，宽度表示耗时',
  by: '宽度', time: '耗时', device: '所下发的设备任务',
  track: '线程或流', allTracks: '全部线程和流',
  step: '迭代', allSteps: '整个采集过程', stepOf: (number) => `迭代 ${number}`,
  search: '高亮名称',
  found: (time, share) => `高亮部分：${time}（${share}）`,
  all: '全部', whole: (time) => `合计 ${time}`,
  total: '总耗时', self: '自身', count: '次数', of: '占比',
  cut: (count) => `省略了 ${count} 个很小的调用`,
  help: '点击或按 Enter 进入调用，按 Esc 返回，用方向键移动。',
  none: '此处没有记录',
  before: '之前', after: '现在', slower: '耗时增加', faster: '耗时减少',
  copy: '复制名称', operators: '在算子表中查看',
})
