/** Words of the dashboard of a run. */

import { plural } from './plural'
import { words } from './words'

export const w = words(
  {
    lastStep: 'Last step',
    firstWarnings: 'Parts of the logs could not be read:',
    allWarnings: (count: string) => `All ${count} warnings`,
    allDetails: 'Files and details',
    notHere: (count: number) => `${plural(count, 'kind of data', 'kinds of data')} this run does not have, and what would log ${count === 1 ? 'it' : 'them'}`,
    nothingYet: 'Nothing logged yet',
    nothingYetWhy: 'As soon as something is written to this run, it appears here. For example:',
    shape: 'Type and shape',
    least: 'Min',
    mean: 'Mean',
    most: 'Max',
    chart: 'Chart',
    points: 'Points',
    dimensions: 'Dimensions',
    graphSize: (nodes: string, edges: string, scopes: string) => `${nodes} nodes · ${edges} edges · ${scopes} scopes`,
  },
  {
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
  },
)
