/** Names of what became of the records of a profile; those that readers and analyses give are listed in `profiler/traces/trace.py`. */

import { words } from './words'

const names = words({
  slices: 'Slices of time',
  other_events: 'Other events: memory, arrows, counters, names',
  flow_events: 'Ends of arrows',
  memory_events: 'Allocations and frees',
  timeline_events: 'Events of the timelines',
  blocks: 'Blocks of the recording',
  task_records: 'Records of tasks on the device',
  step_records: 'Records of steps on the device',
  operator_executions: 'Executions of operators',
  task_executions: 'Executions of tasks that belong to no operator',
  begins_without_end: 'Begins without an end, shown until the last event',
  ends_without_begin: 'Ends without a begin, left out',
  flow_begins_alone: 'Begins of arrows that no end follows, left out',
  flow_ends_alone: 'Ends of arrows that lie before their begin or have none, left out',
  unpaired_tasks: 'Begins or ends of tasks without the other, left out',
  sums_without_times: 'Sums that have no place in time',
  overlapping: 'Slices that overlap others without nesting, in lanes of their own',
  drawn_over_others: 'Slices drawn over others: there are too many at a time',
  repeated_operators: 'Operators that call themselves again, counted once',
  absurd_time: 'Slices at times that cannot be, moved',
  negative_duration: 'Slices that end before they begin, shown as points',
  absurd_duration: 'Slices longer than can be, shortened',
}, {
  slices: '时间片',
  other_events: '其他事件（内存、连线、计数器、名称）',
  flow_events: '连线端点',
  memory_events: '内存分配与释放',
  timeline_events: '时间线事件',
  blocks: '数据块',
  task_records: '设备任务记录',
  step_records: '设备迭代记录',
  operator_executions: '算子执行次数',
  task_executions: '不属于任何算子的任务执行次数',
  begins_without_end: '只有开始、没有结束的事件（显示到最后一个事件为止）',
  ends_without_begin: '只有结束、没有开始的事件（未采用）',
  flow_begins_alone: '之后没有终点的连线起点（未采用）',
  flow_ends_alone: '早于起点或没有起点的连线终点（未采用）',
  unpaired_tasks: '开始与结束不成对的任务记录（未采用）',
  sums_without_times: '没有时间位置的汇总数据',
  overlapping: '互相交叠而不嵌套的时间片（单独成行显示）',
  drawn_over_others: '同一时刻过多、重叠绘制的时间片',
  repeated_operators: '调用自身的算子（只计一次）',
  absurd_time: '时间超出合理范围的时间片（已移动）',
  negative_duration: '结束早于开始的时间片（显示为点）',
  absurd_duration: '时长超出合理范围的时间片（已缩短）',
})

/** In the language of the page; of a newer service the name as it is. */
export const countName = (count: string): string => (names.value as Readonly<Record<string, string>>)[count] ?? count
