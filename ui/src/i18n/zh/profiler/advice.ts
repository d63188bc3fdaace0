import type { advice as English } from '../../en/profiler/advice'

export const advice: typeof English = {
  input_bound: (n) =>
    `每个迭代有 ${n.share('share')} 的时间在等待数据（${n.time('step')} 中的 ${n.time('wait')}）：可增加数据处理线程、提前预取，或预先处理好数据。`,
  long_interval: (n) =>
    `迭代间隙为 ${n.time('interval')}，占迭代的 ${n.share('share')}：请检查设备是否在等待数据。`,
  device_queue_empty: (n) =>
    `${n.count('batches')} 个批次中有 ${n.count('empty')} 个（${n.share('share')}）取数据时设备队列为空：数据处理过慢。`,
  get_next_empty: (n) =>
    `主机侧有数据，但设备在 ${n.count('batches')} 个批次中有 ${n.count('empty')} 次没有取到：数据传输过慢。`,
  slow_pipeline_operator: (n) =>
    `${n.text('operator')} 拖慢了数据处理：其前面的队列占用 ${n.share('incoming')}，自身队列仅占用 ${n.share('usage')}，可增加其线程数。`,
  slow_pipeline_source: (n) =>
    `数据处理的起点 ${n.text('operator')} 只填充了队列的 ${n.share('usage')}：读取过慢，可增加线程数或使用更快的存储。`,
  busy_processors: (n) => `主机 CPU 占用已达 ${n.share('busy')}：继续增加数据处理线程作用不大。`,
  exposed_communication: (n) =>
    `未被掩盖的通信占迭代的 ${n.share('share')}（${n.time('exposed')}）；全部通信中有 ${n.share('hidden')} 与计算重叠。`,
  low_overlap: (n) =>
    `只有 ${n.share('hidden')} 的通信与计算重叠，其余占迭代的 ${n.share('share')}（${n.time('exposed')}）。`,
  memory_copies: (n) =>
    `内存拷贝占迭代的 ${n.share('share')}（${n.time('copies')}）：可使用锁页内存、让拷贝与计算重叠，或让数据常驻设备。`,
  small_kernels: (n) =>
    `${n.count('kernels')} 个核函数平均只有 ${n.time('mean')}，主机有 ${n.share('share')} 的迭代时间在下发任务：可融合算子、编译模型或增大批次。`,
  device_idle: (n) => `除等待数据外，设备在每个迭代中空闲 ${n.share('share')}（${n.time('idle')}）。`,
  framework_overhead: (n) =>
    `每个迭代有 ${n.share('share')}（${n.time('outside')}）花在算子之外的 Python 与框架上：增大批次或编译模型可以减少这部分开销。`,
  dominating_type: (n) =>
    `${n.text('type')} 占${n.side('side')}侧总时间的 ${n.share('share')}（执行 ${n.count('count')} 次），超过其他类型之和：请先查看它。`,
  ai_cpu_operators: (n) =>
    `AI CPU 算子执行 ${n.count('count')} 次，共 ${n.time('total')}，占采集时长的 ${n.share('share')}，其中 ` +
    `${n.text('type')} 最多：请检查是否因数据类型而无法在 AI Core 上执行。`,
  unusual_steps: (n) =>
    `${n.count('steps')} 个迭代中有 ${n.count('slow')} 个比通常的 ${n.time('usual')} 更慢，共多用 ` +
    `${n.time('extra')}（占全部迭代的 ${n.share('share')}）；最慢的是迭代 ${n.text('slowest')}。`,
  compiling: (n) =>
    `编译占采集时长的 ${n.share('share')}（${n.count('times')} 次，共 ${n.time('total')}）：请先预热再采集，并保持形状与数据类型不变。`,
  memory_nearly_full: (n) =>
    `${n.text('device')} 使用了 ${n.share('share')} 的显存：${n.bytes('limit')} 中的 ${n.bytes('peak')}。`,
  recording_lost_things: (n) => `性能数据中有 ${n.count('count')} 条记录无法读取：${n.text('first')}。`,
  late_rank: (n) =>
    `${n.count('ranks')} 张卡中的卡 ${n.text('rank')} 拖慢了其他卡：在 ${n.share('steps')} 的迭代中迟到，平均迟到 ` +
    `${n.time('late')}（占迭代的 ` +
    `${n.share('share')}）${n.text('operator') && `；它在 ${n.text('operator')} 上比其他卡多用 ${n.time('more')}`}。`,
  slow_rank: (n) =>
    `${n.count('ranks')} 张卡中的卡 ${n.text('rank')} 在 ${n.share('steps')} 的迭代中比其他卡慢，平均慢 ` +
    `${n.time('late')}（占迭代的 ` +
    `${n.share('share')}）${n.text('operator') && `；它在 ${n.text('operator')} 上多用 ${n.time('more')}`}。`,
  rank_interval: (n) =>
    `卡 ${n.text('rank')} 的迭代间隙最长：${n.time('interval')}，比均值 ${n.time('mean')} 高 ${n.share('above')}：请检查它是否在等待数据。`,
  slow_link: (n) =>
    `链路 ${n.text('source')} → ${n.text('target')}（${n.text('kind')}）的带宽为 ${n.speed('speed')} GB/s，比均值 ` +
    `${n.speed('mean')} GB/s 低 ` +
    `${n.share('below')}${n.number('links') > 1 ? `；共有 ${n.count('links')} 条链路低于同类均值的 80 %` : ''}。`,
  rank_flops_rate: (n) =>
    `卡 ${n.text('rank')} 的算力为 ${n.large('rate')}FLOP/s，比均值 ${n.large('mean')}FLOP/s 低 ${n.share('below')}：请检查设备是否降频或被其他任务占用。`,
  stage_flops: (n) =>
    `流水线阶段 ${n.text('stage')} 的计算量比各阶段均值高 ${n.share('above')}（${n.large('flops')}FLOP，均值 ${n.large('mean')}FLOP）：可将部分层移到其他阶段。`,
  stage_receive: (n) =>
    `阶段间的接收等待占全部 ${n.count('ranks')} 张卡计算与通信时间的 ${n.share('share')}（平均每个迭代 ${n.time('receive')}）：可均衡各阶段的计算量，或增加 micro-batch 数。`,
  stage_collectives: (n) =>
    `集合通信占阶段 ${n.text('stage')} 计算与通信时间的 ${n.share('share')}；${n.count('stages')} 个阶段中有 ${n.count('above')} 个超过 10 %：请检查算子的切分策略。`,
  data_parallel_tail: (n) =>
    `${n.count('ranks')} 张卡平均有 ${n.share('share')} 的迭代时间（${n.time('tail')}）在反向计算之后：可让梯度通信与反向计算重叠。`,
  ranks_communication: (n) =>
    `未被掩盖的通信占全部 ${n.count('ranks')} 张卡计算与通信时间的 ${n.share('share')}（平均每个迭代 ${n.time('communication')}）。`,
  no_steps: (n) =>
    `没有迭代标记：在每个训练迭代后调用 profiler 的 step()，或使用自动调用它的回调，可以看到更多分析。${n.text('tool') === 'mindspore' ? 'MindSpore 在 CPU 上不记录迭代。' : ''}`,
}
