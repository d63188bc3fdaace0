import type { report as English } from '../en/report'

export const report: typeof English = {
  report: '报告',
  hint: '将当前页面内容保存为一个 HTML 文件，离线也能打开',
  title: '标题',
  note: '备注',
  notePlaceholder: '这份报告说明了什么？',
  save: '保存报告',
  working: (at, all) => `正在收集 ${at} / ${all}`,
  nothing: '还没有可写入报告的内容。',
  failed: '报告生成失败',
  made: '生成时间',
  by: '生成工具',
  runs: '运行',
  folder: '日志根目录',
  source: '视图',
  labels: '标记',
  run: '运行',
  downsampled: (points) => `曲线已降采样，每条最多 ${points} 个点，最小值与最大值均保留。`,
  cut: (rows) => `另有 ${rows} 行未写入报告。`,
  moreNames: (names) => `另有 ${names} 个`,
  more: '条',
}
