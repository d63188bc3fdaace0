/** 运行控制台的文字。 */

import type { runConsole as en } from '../../en/boards/console'

export const runConsole: typeof en = {
  lines: '输出的行',
  count: (count) => `${count} 行`,
  level: '级别',
  any: '全部',
  debug: '调试',
  info: '信息',
  warning: '警告',
  error: '错误',
  levelHint: '此级别及更严重的级别，由行首判断',
  find: '在输出中查找',
  previousFound: '上一个匹配（Shift+N）',
  nextFound: '下一个匹配（N）',
  notFound: '未找到',
  noMore: '没有更多匹配',
  searching: '正在查找…',
  follow: '跟随',
  followHint: '出现新行时滚动到末尾（F）',
  copyLine: '复制此行',
  save: '下载所有行',
  line: (number) => `第 ${number} 行`,
  older: '显示更早的行',
  noneOfLevel: '没有此级别的行',
  empty: '没有记录控制台输出',
  emptyWhy: 'W&B、SwanLab、Sacred 和 ClearML 记录了输出的运行会显示在这里，您自己的运行可以这样记录：',
  noTimes: '这些行没有时间；显示最后的行。',
}
