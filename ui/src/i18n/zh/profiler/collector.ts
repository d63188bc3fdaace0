import type { collector as English } from '../../en/profiler/collector'

export const collector: typeof English = {
  profileNow: '立即采集',
  why: '采集正在运行的训练接下来的若干迭代，无需重启训练',
  training: '训练',
  steps: '采集的迭代数',
  stepUnit: '个迭代',
  at: (step) => `第 ${step} 迭代`,
  ranks: (count) => `${count} 个进程`,
  asked: '正在通知训练……',
  awaited: '将从下一迭代开始……',
  recording: '采集中……',
  recorded: '采集完成，稍后显示在此',
  refused: (why) => `未采集：${why}`,
  dropped: (count) => `训练端缓存已满，丢弃了 ${count} 条数据`,
}
