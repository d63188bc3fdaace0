import type { tables as English } from '../../en/boards/tables'

export const tables: typeof English = {
  find: '在表格中查找',
  noTables: '尚未记录表格',
  noTablesWhy: '所选运行含有 W&B 或 Trackio 记录的表格时会立即显示在这里。使用 wandb 包记录：',
  noneHere: '这些运行中没有表格。',
  noRows: '表格为空。',
  noRowFits: '没有匹配的行。',
  rows: (count) => `${count} 行`,
  moreColumns: (count) => `另有 ${count} 列`,
  rowsOf: (selected, total) => `${selected} / ${total} 行`,
  column: '列',
  anyColumn: '不筛选',
  comparison: '比较方式',
  contains: '包含',
  value: '值',
  row: '行',
  sortBy: (column) => `按 ${column} 排序`,
  save: '下载筛选后的行（CSV）',
  close: '关闭此行',
  stageLabel: (tag) => `表格 ${tag}。左右方向键切换步骤，Home 和 End 跳到首尾。`,
  bodyLabel: (name) => `${name} 的行。上下方向键选择一行，Esc 关闭。`,
}
