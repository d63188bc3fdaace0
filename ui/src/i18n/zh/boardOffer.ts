import type { boardOffer as English } from '../en/boardOffer'

export const boardOffer: typeof English = {
  looksLike: (name, where) => `此日志根目录看起来就是看板“${name}”${where && `（原位置 ${where}）`}。`,
  sameRuns: (same, all) => `${all} 个运行中有 ${same} 个相同。`,
  sameNames: (same, all) => `${all} 个运行中有 ${same} 个同名。`,
  question: (notes, labelled, views) =>
    `要使用它的备注（${notes} 条）、标记（${labelled} 个运行）和已存视图（${views} 个）吗？`,
  use: '使用',
  decline: '不用，分开保存',
  failed: '保存失败',
  problem: '部分备注、标记或已存视图无法显示',
}
