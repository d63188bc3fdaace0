/** Words of the input pipeline of a profile. */

import { plural } from '../grammar/plural'

export const inputPipeline = {
  road: 'Data path',
  places: {
    host: 'Host: prepare data',
    device: 'Transfer to device',
    get_next: 'Device: fetch batch',
  } as Readonly<Record<string, string>>,
  states: { good: 'keeps up', warning: 'too slow', unknown: 'not recorded' } as Readonly<
    Record<string, string>
  >,
  emptyOf: (empty: string, batches: string) => `queue empty for ${empty} of ${batches} batches`,
  operators: 'Pipeline operators',
  sampled: (ms: string) => `queues sampled every ${ms} ms`,
  columns: {
    operator: 'Operator',
    workers: 'Workers',
    capacity: 'Queue capacity',
    size: 'Avg. length',
    usage: 'Utilisation',
    empty: 'Empty',
    cost: 'Time per batch',
    verdict: 'Diagnosis',
  } as Readonly<Record<string, string>>,
  rules: {
    queue_drops: (incoming: string, own: string) => `slow: input queue ${incoming} full, output queue ${own}`,
    leaf_queue_low: (_incoming: string, own: string) =>
      `slow: reading fills only ${own} of the output queue (below 60 %)`,
  } as Readonly<Record<string, (incoming: string, own: string) => string>>,
  queue: (name: string) => `Queue: ${name}`,
  queues: { host: 'host', iterator: 'host', device: 'transfer to device', get_next: 'device' } as Readonly<
    Record<string, string>
  >,
  batch: 'Batch',
  size: 'Batches in queue',
  wait: 'Wait per batch (ms)',
  batches: (count: number) => plural(count, 'batch', 'batches'),
  empty: (share: string) => `empty ${share}`,
  full: (share: string) => `full ${share}`,
  waited: (total: string, longest: string) => `waited ${total}, at most ${longest} at once`,
  steps: 'Input wait per step',
  step: 'Step',
  waitOfStep: 'Input wait (ms)',
  ofAllSteps: (share: string) => `${share} of total step time`,
  loading: 'Data loading threads',
  thread: 'Thread',
  loads: 'Main operation',
  times: 'Count',
  total: 'Total',
  mean: 'Mean',
  longest: 'Longest',
  processors: 'CPU utilisation',
  time: 'Time (ms)',
  percent: '%',
  none: 'No input pipeline data in this profile',
  noneWhy:
    'Iterate over a DataLoader while torch.profiler or Paddle records, call profiler.op("load", ' +
    'type="data"), or profile MindSpore with data_process=True.',
}
