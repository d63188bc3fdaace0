/** Words of the pages of profiles; each tab has its own beside them. */

import { plural } from './plural'
import { words } from './words'

export const profilerWords = words({
  tabs: {
    overview: 'Overview', operators: 'Operators', steps: 'Step trace', timeline: 'Timeline', memory: 'Memory', pipeline: 'Input pipeline',
    cluster: 'Cluster', flame: 'Flame graph', compare: 'Compare', path: 'Critical path',
  } as Readonly<Record<string, string>>,
  tabList: 'Views of the profile',
  choice: 'Which recording',
  rank: (rank: string) => `Rank ${rank}`,
  steps: (count: number) => plural(count, 'step', 'steps'),
  states: { new: 'not analysed yet', queued: 'waiting for its turn', analysing: 'being analysed', ready: 'ready', failed: 'failed' } as Readonly<Record<string, string>>,
  stages: { reading: 'reading the files', analysing: 'computing', saving: 'storing the results' } as Readonly<Record<string, string>>,
  analysing: 'The recording is being analysed',
  analysingWhy: 'This happens once; afterwards it opens at once.',
  failed: 'The recording could not be analysed',
  noProfiles: 'No profiles here',
  noProfilesWhy: 'Record one in a training script, or put the traces of torch.profiler, MindSpore, JAX or Paddle into the folder of a run.',
  noSuchProfile: 'This recording is not there, or no longer',
  others: 'Show the others',
  noData: 'Not in this recording',
  download: 'Download for Perfetto and chrome://tracing',
  lost: (count: number) => `${plural(count, 'thing', 'things')} could not be read`,
  run: 'Run', recording: 'Recording', tool: 'Written by', device: 'Device', stepCount: 'Steps', size: 'Size', started: 'Recorded', state: 'State',
  filter: 'Filter by run, recording or tool',
}, {
  tabs: {
    overview: '概览', operators: '算子', steps: '迭代轨迹', timeline: '时间线', memory: '内存', pipeline: '数据处理',
    cluster: '集群', flame: '火焰图', compare: '对比', path: '关键路径',
  },
  tabList: '性能数据的各个视图',
  choice: '选择性能数据',
  rank: (rank) => `卡 ${rank}`,
  steps: (count) => `${count} 个迭代`,
  states: { new: '未分析', queued: '排队中', analysing: '分析中', ready: '已就绪', failed: '失败' },
  stages: { reading: '读取文件', analysing: '计算', saving: '保存结果' },
  analysing: '正在分析性能数据',
  analysingWhy: '只需分析一次，之后即可直接打开。',
  failed: '无法分析该性能数据',
  noProfiles: '没有性能数据',
  noProfilesWhy: '请在训练脚本中采集，或将 torch.profiler、MindSpore、JAX、Paddle 的性能数据放入运行目录。',
  noSuchProfile: '该性能数据不存在或已被删除',
  others: '查看其他数据',
  noData: '该性能数据中没有',
  download: '下载，可用 Perfetto 或 chrome://tracing 打开',
  lost: (count) => `有 ${count} 处内容无法读取`,
  run: '运行', recording: '性能数据', tool: '来源', device: '设备', stepCount: '迭代数', size: '大小', started: '采集时间', state: '状态',
  filter: '按运行、名称或来源筛选',
})
