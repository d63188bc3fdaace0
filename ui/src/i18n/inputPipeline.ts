/** Words of the input pipeline of a profile. */

import { plural } from './plural'
import { words } from './words'

export const inputWords = words({
  road: 'The road of data',
  places: { host: 'Preparing on the host', device: 'Sending to the device', get_next: 'The device takes a batch' } as Readonly<Record<string, string>>,
  states: { good: 'keeps up', warning: 'too slow', unknown: 'not recorded' } as Readonly<Record<string, string>>,
  emptyOf: (empty: string, batches: string) => `queue empty for ${empty} of ${batches} batches`,
  operators: 'Operators of the pipeline',
  sampled: (ms: string) => `queues looked at every ${ms} ms`,
  columns: { operator: 'Operator', workers: 'Workers', capacity: 'Queue', size: 'Mean filling', usage: 'Full', empty: 'Found empty', cost: 'Time per batch', verdict: 'What the rules say' } as Readonly<Record<string, string>>,
  rules: {
    queue_drops: (incoming: string, own: string) => `slow: the queue before it is ${incoming} full, its own ${own}`,
    leaf_queue_low: (_incoming: string, own: string) => `slow: reading fills only ${own} of the queue (less than 60 %)`,
  } as Readonly<Record<string, (incoming: string, own: string) => string>>,
  queue: (name: string) => `Queue: ${name}`,
  queues: { host: 'of the host', iterator: 'of the host', device: 'to the device', get_next: 'on the device' } as Readonly<Record<string, string>>,
  batch: 'Batch', size: 'Batches waiting', wait: 'Wait for a batch (ms)',
  batches: (count: number) => plural(count, 'batch', 'batches'),
  empty: (share: string) => `empty ${share}`, full: (share: string) => `full ${share}`, waited: (total: string, longest: string) => `waited ${total}, at most ${longest} for one`,
  steps: 'Waiting for data in each step', step: 'Step', waitOfStep: 'Waiting (ms)', ofAllSteps: (share: string) => `${share} of the time of all steps`,
  loading: 'Who loads data', thread: 'Thread', loads: 'What it does most', times: 'Times', total: 'Total', mean: 'Mean', longest: 'Longest',
  processors: 'Load of the processors', time: 'Time (ms)', percent: '%',
  none: 'The recording tells nothing of the input pipeline',
  noneWhy: 'Iterate over a DataLoader while torch.profiler or Paddle records, call profiler.op("load", type="data"), or profile MindSpore with data_process=True.',
}, {
  road: '数据通路',
  places: { host: '主机数据处理', device: '向设备传输', get_next: '设备取数据' },
  states: { good: '正常', warning: '过慢', unknown: '无记录' },
  emptyOf: (empty, batches) => `${batches} 个批次中 ${empty} 次队列为空`,
  operators: '数据处理算子',
  sampled: (ms) => `每 ${ms} ms 采样一次队列`,
  columns: { operator: '算子', workers: '线程数', capacity: '队列容量', size: '平均长度', usage: '占用率', empty: '为空比例', cost: '每批次耗时', verdict: '规则判断' },
  rules: {
    queue_drops: (incoming, own) => `过慢：前一队列占用 ${incoming}，自身队列占用 ${own}`,
    leaf_queue_low: (_incoming, own) => `过慢：读取只填充了队列的 ${own}（低于 60 %）`,
  },
  queue: (name) => `队列：${name}`,
  queues: { host: '主机队列', iterator: '主机队列', device: '设备队列', get_next: '设备取数队列' },
  batch: '批次', size: '等待的批次', wait: '等待时间 (ms)',
  batches: (count) => `${count} 个批次`,
  empty: (share) => `为空 ${share}`, full: (share) => `已满 ${share}`, waited: (total, longest) => `共等待 ${total}，单次最长 ${longest}`,
  steps: '每个迭代等待数据的时间', step: '迭代', waitOfStep: '等待 (ms)', ofAllSteps: (share) => `占全部迭代时间的 ${share}`,
  loading: '数据加载线程', thread: '线程', loads: '主要操作', times: '次数', total: '总时间', mean: '平均', longest: '最长',
  processors: 'CPU 占用', time: '时间 (ms)', percent: '%',
  none: '性能数据中没有数据处理的信息',
  noneWhy: '请在 torch.profiler 或 Paddle 采集时遍历 DataLoader，调用 profiler.op("load", type="data")，或在 MindSpore 中使用 data_process=True 采集。',
})
