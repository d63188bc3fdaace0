import type { preview as English } from '../en/preview'

export const preview: typeof English = {
  lastStep: '最新步骤',
  firstWarnings: '日志中有部分内容无法读取：',
  allWarnings: (count) => `查看全部 ${count} 条警告`,
  allDetails: '文件与详情',
  notHere: (count) => `此运行没有的 ${count} 类数据，以及记录它们的代码`,
  nothingYet: '尚未记录任何数据',
  nothingYetWhy: '此运行写入数据后会立即显示在这里。例如：',
  shape: '类型与形状',
  least: '最小值',
  mean: '均值',
  most: '最大值',
  chart: '图表',
  points: '点数',
  dimensions: '维数',
  graphSize: (nodes, edges, scopes) => `${nodes} 个节点 · ${edges} 条边 · ${scopes} 个命名空间`,
}
