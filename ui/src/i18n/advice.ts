/** Advice about a profile in words: one sentence for each rule, made of the numbers behind it. */

import type { Advice } from '@/api/profiles'
import { formatBytes, formatCount } from '@/charts/numbers'
import { percent, spokenTime } from '@/profiler/figures'
import { language } from './index'
import { operatorWords } from './operators'

type Numbers = Advice['numbers']
type Sentence = (number: Told) => string

/** A number of the advice as people read it. */
interface Told {
  readonly text: (name: string) => string
  readonly count: (name: string) => string
  readonly share: (name: string) => string
  readonly time: (name: string) => string
  readonly bytes: (name: string) => string
  /** Where operators run. */
  readonly side: (name: string) => string
}

const told = (numbers: Numbers): Told => ({
  text: (name) => String(numbers[name]),
  count: (name) => formatCount(Number(numbers[name])),
  share: (name) => percent(Number(numbers[name])),
  time: (name) => spokenTime(Number(numbers[name])),
  bytes: (name) => formatBytes(Number(numbers[name])),
  side: (name) => operatorWords.value.sides[String(numbers[name])] ?? String(numbers[name]),
})

const SENTENCES: Readonly<Record<string, { readonly en: Sentence; readonly zh: Sentence }>> = {
  input_bound: {
    en: (n) => `The training waits for data for ${n.share('share')} of a step (${n.time('wait')} of ${n.time('step')}): load with more workers, load ahead, or prepare the data once beforehand.`,
    zh: (n) => `每个迭代有 ${n.share('share')} 的时间在等待数据（${n.time('step')} 中的 ${n.time('wait')}）：可增加数据处理线程、提前预取，或预先处理好数据。`,
  },
  long_interval: {
    en: (n) => `${n.time('interval')} go by between two iterations (${n.share('share')} of a step): see whether the device waits for data.`,
    zh: (n) => `迭代间隙为 ${n.time('interval')}，占迭代的 ${n.share('share')}：请检查设备是否在等待数据。`,
  },
  device_queue_empty: {
    en: (n) => `The queue to the device was empty for ${n.share('share')} of batches (${n.count('empty')} of ${n.count('batches')}): preparing data is too slow.`,
    zh: (n) => `${n.count('batches')} 个批次中有 ${n.count('empty')} 个（${n.share('share')}）取数据时设备队列为空：数据处理过慢。`,
  },
  get_next_empty: {
    en: (n) => `The device found no data ${n.count('empty')} times in ${n.count('batches')} batches though the host had some: sending data is too slow.`,
    zh: (n) => `主机侧有数据，但设备在 ${n.count('batches')} 个批次中有 ${n.count('empty')} 次没有取到：数据传输过慢。`,
  },
  slow_pipeline_operator: {
    en: (n) => `${n.text('operator')} slows the input pipeline down: the queue before it is ${n.share('incoming')} full, its own ${n.share('usage')}: give it more workers.`,
    zh: (n) => `${n.text('operator')} 拖慢了数据处理：其前面的队列占用 ${n.share('incoming')}，自身队列仅占用 ${n.share('usage')}，可增加其线程数。`,
  },
  slow_pipeline_source: {
    en: (n) => `${n.text('operator')}, where the input pipeline begins, fills only ${n.share('usage')} of its queue: reading is too slow; give it more workers or faster storage.`,
    zh: (n) => `数据处理的起点 ${n.text('operator')} 只填充了队列的 ${n.share('usage')}：读取过慢，可增加线程数或使用更快的存储。`,
  },
  busy_processors: {
    en: (n) => `The host's processors are ${n.share('busy')} busy: more workers for data will hardly help.`,
    zh: (n) => `主机 CPU 占用已达 ${n.share('busy')}：继续增加数据处理线程作用不大。`,
  },
  exposed_communication: {
    en: (n) => `Communication that nothing hides takes ${n.share('share')} of a step (${n.time('exposed')}); ${n.share('hidden')} of all communication runs behind computing.`,
    zh: (n) => `未被掩盖的通信占迭代的 ${n.share('share')}（${n.time('exposed')}）；全部通信中有 ${n.share('hidden')} 与计算重叠。`,
  },
  low_overlap: {
    en: (n) => `Only ${n.share('hidden')} of the communication runs behind computing; the rest takes ${n.share('share')} of a step (${n.time('exposed')}).`,
    zh: (n) => `只有 ${n.share('hidden')} 的通信与计算重叠，其余占迭代的 ${n.share('share')}（${n.time('exposed')}）。`,
  },
  memory_copies: {
    en: (n) => `Memory copies take ${n.share('share')} of a step (${n.time('copies')}): pin the memory of the host, copy while computing, or keep data on the device.`,
    zh: (n) => `内存拷贝占迭代的 ${n.share('share')}（${n.time('copies')}）：可使用锁页内存、让拷贝与计算重叠，或让数据常驻设备。`,
  },
  small_kernels: {
    en: (n) => `${n.count('kernels')} kernels last ${n.time('mean')} on average while the host is busy launching for ${n.share('share')} of a step: fuse operators, compile the model, or use larger batches.`,
    zh: (n) => `${n.count('kernels')} 个核函数平均只有 ${n.time('mean')}，主机有 ${n.share('share')} 的迭代时间在下发任务：可融合算子、编译模型或增大批次。`,
  },
  device_idle: {
    en: (n) => `Nothing runs on the device for ${n.share('share')} of a step (${n.time('idle')}), waits for data apart.`,
    zh: (n) => `除等待数据外，设备在每个迭代中空闲 ${n.share('share')}（${n.time('idle')}）。`,
  },
  framework_overhead: {
    en: (n) => `${n.share('share')} of a step (${n.time('outside')}) is spent outside of operators, in Python and the framework: larger batches or a compiled model have less of it.`,
    zh: (n) => `每个迭代有 ${n.share('share')}（${n.time('outside')}）花在算子之外的 Python 与框架上：增大批次或编译模型可以减少这部分开销。`,
  },
  dominating_type: {
    en: (n) => `${n.text('type')} takes ${n.share('share')} of the time of all operators (${n.side('side')}, ${n.count('count')} executions), more than all other types together: look there first.`,
    zh: (n) => `${n.text('type')} 占${n.side('side')}侧总时间的 ${n.share('share')}（执行 ${n.count('count')} 次），超过其他类型之和：请先查看它。`,
  },
  ai_cpu_operators: {
    en: (n) => `${n.count('count')} executions on the device's AI CPU take ${n.time('total')}, ${n.share('share')} of the recorded time, ${n.text('type')} most of it: see whether types of data keep them from the AI Core.`,
    zh: (n) => `AI CPU 算子执行 ${n.count('count')} 次，共 ${n.time('total')}，占采集时长的 ${n.share('share')}，其中 ${n.text('type')} 最多：请检查是否因数据类型而无法在 AI Core 上执行。`,
  },
  unusual_steps: {
    en: (n) => `${n.count('slow')} of ${n.count('steps')} steps took longer than the usual ${n.time('usual')}, ${n.time('extra')} in all (${n.share('share')} of all steps); the slowest is step ${n.text('slowest')}.`,
    zh: (n) => `${n.count('steps')} 个迭代中有 ${n.count('slow')} 个比通常的 ${n.time('usual')} 更慢，共多用 ${n.time('extra')}（占全部迭代的 ${n.share('share')}）；最慢的是迭代 ${n.text('slowest')}。`,
  },
  compiling: {
    en: (n) => `Compiling takes ${n.share('share')} of the recorded time (${n.count('times')} times, ${n.time('total')}): warm up before recording, and keep shapes and types the same.`,
    zh: (n) => `编译占采集时长的 ${n.share('share')}（${n.count('times')} 次，共 ${n.time('total')}）：请先预热再采集，并保持形状与数据类型不变。`,
  },
  memory_nearly_full: {
    en: (n) => `${n.text('device')} used ${n.share('share')} of its memory: ${n.bytes('peak')} of ${n.bytes('limit')}.`,
    zh: (n) => `${n.text('device')} 使用了 ${n.share('share')} 的显存：${n.bytes('limit')} 中的 ${n.bytes('peak')}。`,
  },
  recording_lost_things: {
    en: (n) => `Not everything in the recording could be read (${n.count('count')} records): ${n.text('first')}.`,
    zh: (n) => `性能数据中有 ${n.count('count')} 条记录无法读取：${n.text('first')}。`,
  },
  late_rank: {
    en: (n) => `Rank ${n.text('rank')} of ${n.count('ranks')} holds the others up: it comes late in ${n.share('steps')} of the steps, by ${n.time('late')} on average (${n.share('share')} of a step)${n.text('operator') && `; it spends ${n.time('more')} more in ${n.text('operator')} than the others`}.`,
    zh: (n) => `${n.count('ranks')} 张卡中的卡 ${n.text('rank')} 拖慢了其他卡：在 ${n.share('steps')} 的迭代中迟到，平均迟到 ${n.time('late')}（占迭代的 ${n.share('share')}）${n.text('operator') && `；它在 ${n.text('operator')} 上比其他卡多用 ${n.time('more')}`}。`,
  },
  slow_rank: {
    en: (n) => `Rank ${n.text('rank')} of ${n.count('ranks')} is slower than the others in ${n.share('steps')} of the steps, by ${n.time('late')} on average (${n.share('share')} of a step)${n.text('operator') && `; it spends ${n.time('more')} more in ${n.text('operator')}`}.`,
    zh: (n) => `${n.count('ranks')} 张卡中的卡 ${n.text('rank')} 在 ${n.share('steps')} 的迭代中比其他卡慢，平均慢 ${n.time('late')}（占迭代的 ${n.share('share')}）${n.text('operator') && `；它在 ${n.text('operator')} 上多用 ${n.time('more')}`}。`,
  },
  no_steps: {
    en: () => 'No steps are marked: call step() of the profiler after each training step to see more. MindSpore records none on a CPU.',
    zh: () => '没有迭代标记：在每个训练迭代后调用 profiler 的 step()，可以看到更多分析。MindSpore 在 CPU 上不记录迭代。',
  },
}

/** A rule that this page does not know yet is told as it is. */
export function adviceText({ rule, numbers }: Advice): string {
  const known = SENTENCES[rule]
  return known ? known[language.value === 'zh' ? 'zh' : 'en'](told(numbers)) : `${rule}: ${Object.entries(numbers).map(([name, value]) => `${name} ${value}`).join(', ')}`
}
