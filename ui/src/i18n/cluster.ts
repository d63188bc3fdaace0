/** Words of the cluster tab: many ranks beside each other. */

import { plural } from './plural'
import { words } from './words'

export const clusterWords = words({
  findings: (ranks: number) => `${plural(ranks, 'rank', 'ranks')} together`,
  fine: 'No rank holds the others up, and no link is slow.',
  straggler: (rank: string, share: string, late: string) => `Rank ${rank} holds the others up: it came late in ${share} of the steps, ${late} on average.`,
  slowRank: (rank: string, share: string, late: string) => `Rank ${rank} takes longer: in ${share} of the steps, ${late} more than the quickest on average.`,
  interval: (rank: string, time: string, above: string, mean: string) => `Rank ${rank} has the longest interval between steps: ${time}, ${above} above the mean of ${mean}.`,
  intervalFine: (rank: string, time: string, above: string) => `The longest interval between steps is that of rank ${rank}: ${time}, ${above} above the mean.`,
  slowLinks: (count: number, which: string) => `${plural(count, 'link', 'links')} below 80 % of the mean bandwidth: ${which}`,
  byCollectives: (count: string) => `found by ${count} collective operations, clocks aligned at their ends`,
  bySteps: 'found by the durations of steps: the recordings have no collective operations',
  cause: 'What it spends more time in', here: 'here', usual: 'median of the others',
  ranks: 'Ranks: means over whole steps', openRank: 'Open the recording of this rank',
  columns: {
    rank: 'Rank', run: 'Run', stage: 'Stage', duration: 'Step', compute: 'Computing', communication: 'Exposed com.', overlapped: 'Hidden com.', copy: 'Copies', launch: 'Launches',
    input_wait: 'Input wait', host_operators: 'Host ops', python: 'Python', other: 'Idle', interval: 'Interval', forward_backward: 'Fwd + bwd', tail: 'Tail',
    late: 'Late by', wait: 'Waits', votes: 'Times late', slowest_steps: 'Slowest in',
  } as Readonly<Record<string, string>>,
  csv: 'Download the ranks as CSV',
  heat: 'Ranks and steps', measure: 'Measure', step: (number: string) => `step ${number}`, rank: (rank: string) => `Rank ${rank}`, slowest: 'slowest of this step', thinned: (shown: string, all: string) => `${shown} of ${all} steps`,
  heatHelp: 'Arrow keys move, Enter opens the step of that rank.',
  links: 'Bandwidth between ranks, GB/s', linkKind: 'Kind of link', linkTo: 'to', linkFrom: 'from', noTraffic: 'no traffic',
  link: (from: string, to: string, speed: string, size: string, time: string) => `${from} → ${to}: ${speed} GB/s, ${size} MB in ${time}`, slow: 'below 80 % of the mean', meanSpeed: (speed: string) => `mean ${speed} GB/s`, recordedBy: (rank: string) => `recorded by rank ${rank}`,
  stages: 'Stages of the pipeline', stage: (stage: string) => `Stage ${stage}`,
  none: 'The run has no recording of several ranks', noneWhy: 'Recordings of several ranks of one training in one folder are shown together.',
}, {
  findings: (ranks) => `共 ${ranks} 张卡`,
  fine: '没有拖慢其他卡的卡，也没有慢链路。',
  straggler: (rank, share, late) => `卡 ${rank} 拖慢了其他卡：在 ${share} 的迭代中迟到，平均迟到 ${late}。`,
  slowRank: (rank, share, late) => `卡 ${rank} 较慢：在 ${share} 的迭代中偏慢，平均比最快的卡多用 ${late}。`,
  interval: (rank, time, above, mean) => `卡 ${rank} 的迭代间隙最长：${time}，比均值 ${mean} 高 ${above}。`,
  intervalFine: (rank, time, above) => `迭代间隙最长的是卡 ${rank}：${time}，比均值高 ${above}。`,
  slowLinks: (count, which) => `${count} 条链路的带宽低于均值的 80 %：${which}`,
  byCollectives: (count) => `依据 ${count} 次集合通信判断，各卡时钟已按通信结束时刻对齐`,
  bySteps: '依据迭代时长判断：该性能数据没有集合通信记录',
  cause: '多耗时之处', here: '该卡', usual: '其他卡的中位数',
  ranks: '各卡：完整迭代的平均值', openRank: '打开该卡的性能数据',
  columns: {
    rank: '卡', run: '运行', stage: '阶段', duration: '迭代', compute: '计算', communication: '未掩盖通信', overlapped: '已掩盖通信', copy: '拷贝', launch: '任务下发',
    input_wait: '等待数据', host_operators: '主机算子', python: 'Python', other: '空闲', interval: '间隙', forward_backward: '前向反向', tail: '拖尾',
    late: '平均迟到', wait: '等待他卡', votes: '迟到次数', slowest_steps: '最慢次数',
  },
  csv: '下载各卡数据（CSV）',
  heat: '卡与迭代', measure: '指标', step: (number) => `迭代 ${number}`, rank: (rank) => `卡 ${rank}`, slowest: '该迭代中最慢', thinned: (shown, all) => `显示 ${all} 个迭代中的 ${shown} 个`,
  heatHelp: '用方向键移动，按 Enter 打开该卡的这一迭代。',
  links: '卡间带宽（GB/s）', linkKind: '链路类型', linkTo: '到', linkFrom: '从', noTraffic: '无通信',
  link: (from, to, speed, size, time) => `${from} → ${to}：${speed} GB/s，${size} MB，用时 ${time}`, slow: '低于均值的 80 %', meanSpeed: (speed) => `均值 ${speed} GB/s`, recordedBy: (rank) => `由卡 ${rank} 记录`,
  stages: '流水线阶段', stage: (stage) => `阶段 ${stage}`,
  none: '该运行没有多卡的性能数据', noneWhy: '同一训练的多张卡的性能数据放在同一目录下，会在此一起显示。',
})
