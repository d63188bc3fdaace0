import type { saving as English } from '../../en/workspace/saving'

export const saving: typeof English = {
  failed: '保存失败',
  retry: '重试',
  discard: '放弃修改',
  conflict: '在您编辑期间，其他人已修改此内容',
  theirs: '对方的版本（已保存）',
  mine: '您的版本（未保存）',
  deleted: '（已删除）',
  merge: '合并',
  mergeHint: '把两段文字放在一起，修改后再保存',
  overwrite: '保存我的版本',
  overwriteHint: '用您的版本替换对方的版本',
  takeTheirs: '保留对方的版本',
  takeTheirsHint: '放弃您的修改',
}
