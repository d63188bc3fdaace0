import type { noData as English } from '../../en/profiler/noData'

export const noData: typeof English = {
  operators: {
    title: '该性能数据没有算子信息',
    why: '其中的文件没有记录单个算子，只有迭代、数据处理等其他内容。',
  },
  steps: {
    title: '该性能数据没有迭代信息',
    why: '采集时没有标记迭代的结束。标记之后即可按迭代查看时间。MindSpore 在 CPU 上不记录迭代。',
  },
  timeline: { title: '该性能数据只有汇总值', why: '其中没有记录各项的执行时刻，因此无法绘制时间线。' },
  memory: { title: '该性能数据没有内存信息', why: '需要在采集时开启内存记录。' },
  pipeline: {
    title: '该性能数据没有数据处理信息',
    why: '采集过程中没有记录到数据加载，数据可能在采集之前或在别处加载。',
  },
  path: {
    title: '该性能数据没有设备任务',
    why: '关键路径由主机下发到设备的任务构成。仅在主机上训练时，请查看火焰图。',
  },
  cluster: {
    title: '该运行没有多卡的性能数据',
    why: '同一训练各卡的性能数据放在同一个运行目录或相邻的运行目录中，就会在此一起显示。',
  },
  flame: { title: '该性能数据没有嵌套调用', why: '火焰图由调用关系构成，而该性能数据没有记录调用关系。' },
}
