/** Words of the tab about what a training waited for. */

import { plural } from './plural'
import { words } from './words'

export const waitWords = words({
  path: 'Critical path', pathWhy: 'What the step waited for, from its end back to its begin: only what lies here can make the step shorter.',
  step: 'Step', stepOf: (number: string) => `Step ${number}`, wholeRecording: 'Whole recording',
  kinds: { compute: 'Computing', communication: 'Communication', copy: 'Memory copies', launch: 'Launch delay', wait: 'Return from a wait', gap: 'Gaps between device work', host: 'Host' } as Readonly<Record<string, string>>,
  owners: 'By operator', owner: 'Name', kind: 'Kind', time: 'Time', share: 'Share', count: 'Pieces',
  pieces: 'The path from begin to end', piecesShown: (shown: string, all: string) => `the ${shown} longest of ${all} pieces`, at: 'Begins after',
  nothing: 'nothing recorded', toSlice: 'Show the slice in the timeline', toRange: 'Show it in the timeline',
  idle: 'Idle devices by cause', idleWhy: 'Time in which no stream of the device worked, between its first and last work.',
  causes: { host_late: 'Host too late', communication: 'Communication', dependency: 'Waited for another stream', kernel_gap: 'Gaps of launching', unknown: 'Cause not recorded' } as Readonly<Record<string, string>>,
  busy: 'Busy', idleTime: 'Idle', device: 'Device', stream: 'Stream', streams: (count: number) => plural(count, 'stream', 'streams'),
  byStream: 'By stream', host: (gaps: number) => `What the host did meanwhile (the ${plural(gaps, 'longest gap', 'longest gaps')})`,
  gaps: 'Longest gaps', between: 'Between', cause: 'Cause',
}, {
  path: '关键路径', pathWhy: '从迭代结束往回追溯到开始，逐段给出迭代在等待什么：只有缩短其中的部分，迭代才可能变短。',
  step: '迭代', stepOf: (number) => `迭代 ${number}`, wholeRecording: '整个采集过程',
  kinds: { compute: '计算', communication: '通信', copy: '内存拷贝', launch: '下发延迟', wait: '等待返回', gap: '设备任务间隙', host: '主机' },
  owners: '按算子', owner: '名称', kind: '类别', time: '耗时', share: '占比', count: '段数',
  pieces: '从开始到结束的路径', piecesShown: (shown, all) => `显示 ${all} 段中最长的 ${shown} 段`, at: '开始于',
  nothing: '没有记录', toSlice: '在时间线中查看', toRange: '在时间线中查看',
  idle: '设备空闲的原因', idleWhy: '从首个任务到最后一个任务之间，设备所有流都不工作的时间。',
  causes: { host_late: '主机下发过晚', communication: '通信', dependency: '等待其他流', kernel_gap: '任务下发间隙', unknown: '未记录原因' },
  busy: '工作', idleTime: '空闲', device: '设备', stream: '流', streams: (count) => `${count} 个流`,
  byStream: '按流', host: (gaps) => `其间主机在做什么（最长的 ${gaps} 个空隙）`,
  gaps: '最长的空隙', between: '空隙前后的任务', cause: '原因',
})
