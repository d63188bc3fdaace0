/** 修改运行的用语：标记、名称、颜色、负责人、归档和隐藏。 */

import type { runEdits as english } from '../../en/workspace/runEdits'

const runs = (count: number): string => `${count} 个运行`

const drawn = (count: number): string => `图表中的 ${count} 个运行`

export const runEdits: typeof english = {
  more: '更多',
  forms: { label: '标记…', owner: '负责人…', colour: '颜色…', rename: '重命名…' },
  switches: { archive: '归档', unarchive: '取消归档', hide: '隐藏', unhide: '取消隐藏' },
  hints: {
    archive: '已处理完毕：不再列出。日志保持不变。',
    hide: '不感兴趣：不再列出。日志保持不变。',
  },
  renameHint: '选择一个运行即可重命名。',
  titles: {
    label: (name, count) => `标记${name ? ` ${name}` : runs(count)}`,
    owner: (name, count) => `${name ? `${name} ` : `${runs(count)}`}的负责人`,
    colour: (name, count) => `${name ? `${name} ` : `${runs(count)}`}的颜色`,
    rename: (name, count) => `重命名${name ? ` ${name}` : runs(count)}`,
  },
  done: {
    label: (count) => `已更改 ${runs(count)}的标记`,
    owner: (count) => `已更改 ${runs(count)}的负责人`,
    colour: (count) => `已更改 ${runs(count)}的颜色`,
    rename: (count) => `已重命名 ${runs(count)}`,
    archive: (count) => `已归档 ${runs(count)}`,
    unarchive: (count) => `已取消归档 ${runs(count)}`,
    hide: (count) => `已隐藏 ${runs(count)}`,
    unhide: (count) => `已取消隐藏 ${runs(count)}`,
  },
  commands: {
    label: (count) => `标记${drawn(count)}`,
    owner: (count) => `设置${drawn(count)}的负责人`,
    colour: (count) => `设置${drawn(count)}的颜色`,
    rename: (count) => `重命名${drawn(count)}`,
    archive: (count) => `归档${drawn(count)}`,
    unarchive: (count) => `取消归档${drawn(count)}`,
    hide: (count) => `隐藏${drawn(count)}`,
    unhide: (count) => `取消隐藏${drawn(count)}`,
  },
  nothingChanged: '无需更改：已是如此',
  undo: '撤销',
  redo: '重做',
  undone: '已撤销',
  redone: '已重做',
  skipped: (count) => `已撤销，但其中 ${runs(count)}已被他人修改，保持不变`,
  changedSince: '未撤销：已被他人修改',
  failed: (why) => `未作更改：${why}`,
  currentLabels: '这些运行的标记',
  addLabels: '添加标记',
  labelsHint: '以逗号分隔',
  removeLabel: '从这些运行中移除',
  keepLabel: '保留',
  owner: '负责人',
  newName: '显示名称；留空则使用原名',
  mixed: '各不相同',
  ownColour: '其他颜色',
  automatic: '自动',
  sameColour: '这些运行将使用同一颜色。',
  logsStay: '日志文件保持不变。',
  conflict: (theirs) => (theirs === '' ? '其间已被他人清除。' : `其间已被他人改为“${theirs}”。`),
  overwrite: '覆盖',
  keepTheirs: '保留他人的修改',
  cancel: '取消',
  save: '保存',
  archived: '已归档',
  hidden: '已隐藏',
  leftOut: (archived, hidden) =>
    [archived > 0 ? `${archived} 个已归档` : '', hidden > 0 ? `${hidden} 个已隐藏` : '']
      .filter(Boolean)
      .join('，'),
  showLeftOut: '显示',
  hideLeftOut: '不显示',
}
