/** Advice about a profile: one sentence for each rule, made of the numbers behind it. */

/** A number of the advice as people read it. */
export interface AdviceNumbers {
  readonly text: (name: string) => string
  readonly count: (name: string) => string
  readonly share: (name: string) => string
  readonly time: (name: string) => string
  readonly bytes: (name: string) => string
  /** Three figures with a letter for thousands, as in 107 G. */
  readonly large: (name: string) => string
  readonly speed: (name: string) => string
  readonly number: (name: string) => number
  /** Where operators run. */
  readonly side: (name: string) => string
}

type Sentence = (number: AdviceNumbers) => string

const sentences = <R extends string>(rules: Readonly<Record<R, Sentence>>): Readonly<Record<R, Sentence>> =>
  rules

export const advice = sentences({
  input_bound: (n) =>
    `Training waits for data for ${n.share('share')} of a step (${n.time('wait')} of ${n.time('step')}). ` +
    'Use more data loading workers, prefetch batches, or preprocess the data offline.',
  long_interval: (n) =>
    `The interval between two steps is ${n.time('interval')} (${n.share('share')} of a step). Check whether the device waits for data.`,
  device_queue_empty: (n) =>
    `The device queue was empty for ${n.share('share')} of batches (${n.count('empty')} of ` +
    `${n.count('batches')}). Data preparation is too slow.`,
  get_next_empty: (n) =>
    `The device found no data ${n.count('empty')} times in ${n.count('batches')} batches although the ` +
    'host had data ready. The transfer to the device is too slow.',
  slow_pipeline_operator: (n) =>
    `${n.text('operator')} is the bottleneck of the input pipeline: its input queue is ` +
    `${n.share('incoming')} full, its output queue ${n.share('usage')}. Give it more workers.`,
  slow_pipeline_source: (n) =>
    `${n.text('operator')}, the source of the input pipeline, fills only ${n.share('usage')} of its ` +
    'queue. Reading is too slow: use more workers or faster storage.',
  busy_processors: (n) =>
    `Host CPU utilisation is ${n.share('busy')}. More data loading workers are unlikely to help.`,
  exposed_communication: (n) =>
    `Exposed communication takes ${n.share('share')} of a step (${n.time('exposed')}). ` +
    `${n.share('hidden')} of all communication overlaps with compute.`,
  low_overlap: (n) =>
    `Only ${n.share('hidden')} of communication overlaps with compute. The exposed part takes ` +
    `${n.share('share')} of a step (${n.time('exposed')}).`,
  memory_copies: (n) =>
    `Memory copies take ${n.share('share')} of a step (${n.time('copies')}). Use pinned host memory, ` +
    'overlap copies with compute, or keep data on the device.',
  small_kernels: (n) =>
    `${n.count('kernels')} kernels take only ${n.time('mean')} on average, and the host spends ` +
    `${n.share('share')} of a step launching them. Fuse operators, compile the model, or use larger ` +
    'batches.',
  device_idle: (n) =>
    `The device is idle for ${n.share('share')} of a step (${n.time('idle')}), not counting input wait.`,
  framework_overhead: (n) =>
    `${n.share('share')} of a step (${n.time('outside')}) is spent outside operators, in Python and the ` +
    'framework. Larger batches or a compiled model reduce this overhead.',
  dominating_type: (n) =>
    `${n.text('type')} takes ${n.share('share')} of operator time (${n.side('side')}, ` +
    `${n.count('count')} executions), more than all other types combined. Start there.`,
  ai_cpu_operators: (n) =>
    `${n.count('count')} executions on the AI CPU take ${n.time('total')} (${n.share('share')} of the ` +
    `recorded time), most of it in ${n.text('type')}. Check whether data types keep them off the AI Core.`,
  unusual_steps: (n) =>
    `${n.count('slow')} of ${n.count('steps')} steps are slow outliers: they took ${n.time('extra')} ` +
    `longer in total than the typical ${n.time('usual')} per step (${n.share('share')} of all step ` +
    `time). The slowest is step ${n.text('slowest')}.`,
  compiling: (n) =>
    `Compilation takes ${n.share('share')} of the recorded time (${n.count('times')} times, ` +
    `${n.time('total')}). Warm up before profiling, and keep shapes and data types constant.`,
  memory_nearly_full: (n) =>
    `${n.text('device')} used ${n.share('share')} of its memory: ${n.bytes('peak')} of ${n.bytes('limit')}.`,
  recording_lost_things: (n) =>
    `${n.count('count')} records of the profile could not be read: ${n.text('first')}.`,
  late_rank: (n) =>
    `Rank ${n.text('rank')} of ${n.count('ranks')} is a straggler: late in ${n.share('steps')} of the ` +
    `steps, by ${n.time('late')} on average (${n.share('share')} of a ` +
    `step)${n.text('operator') && `. It spends ${n.time('more')} more in ${n.text('operator')} than the other ranks`}.`,
  slow_rank: (n) =>
    `Rank ${n.text('rank')} of ${n.count('ranks')} is slower than the others in ${n.share('steps')} of ` +
    `the steps, by ${n.time('late')} on average (${n.share('share')} of a ` +
    `step)${n.text('operator') && `. It spends ${n.time('more')} more in ${n.text('operator')}`}.`,
  rank_interval: (n) =>
    `Rank ${n.text('rank')} has the longest step interval: ${n.time('interval')}, ${n.share('above')} ` +
    `above the mean of ${n.time('mean')}. Check whether it waits for data.`,
  slow_link: (n) =>
    `Link ${n.text('source')} → ${n.text('target')} (${n.text('kind')}) reaches ${n.speed('speed')} ` +
    `GB/s, ${n.share('below')} below the mean of ${n.speed('mean')} ` +
    `GB/s${n.number('links') > 1 ? `. ${n.count('links')} links are below 80 % of the mean of their type` : ''}.`,
  rank_flops_rate: (n) =>
    `Rank ${n.text('rank')} runs at ${n.large('rate')}FLOP/s, ${n.share('below')} below the mean of ` +
    `${n.large('mean')}FLOP/s. Check whether its device is throttled or shared.`,
  stage_flops: (n) =>
    `Pipeline stage ${n.text('stage')} computes ${n.share('above')} more than the average stage ` +
    `(${n.large('flops')}FLOP versus ${n.large('mean')}FLOP). Move layers to other stages.`,
  stage_receive: (n) =>
    `Waiting to receive from other stages takes ${n.share('share')} of the compute and communication ` +
    `time of the ${n.count('ranks')} ranks (${n.time('receive')} per step on average). Balance the ` +
    'stages, or use more micro-batches.',
  stage_collectives: (n) =>
    `Collective communication takes ${n.share('share')} of the compute and communication time of stage ` +
    `${n.text('stage')}; ${n.count('above')} of ${n.count('stages')} stages exceed 10 %. Check how its ` +
    'operators are sharded.',
  data_parallel_tail: (n) =>
    `${n.share('share')} of a step (${n.time('tail')}) comes after the backward pass, averaged over ` +
    `${n.count('ranks')} ranks. Overlap gradient communication with the backward pass.`,
  ranks_communication: (n) =>
    `Exposed communication takes ${n.share('share')} of the compute and communication time of the ` +
    `${n.count('ranks')} ranks (${n.time('communication')} per step on average).`,
  no_steps: (n) =>
    "No steps are marked. Call the profiler's step() after each training step, or use a callback that " +
    `does.${n.text('tool') === 'mindspore' ? ' MindSpore does not record steps on CPU.' : ''}`,
})
