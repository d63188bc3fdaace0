import type { queryExpected as English } from '../../en/workspace/queryExpected'

export const queryExpected: typeof English = {
  column: () => '列名',
  value: () => '值',
  text: () => '文本',
  comparison: (of) => `与 ${of} 的比较`,
  missing: () => '关键字 missing',
  list: () => '方括号中的列表，如 [1, 2]',
  closing_bracket: () => '右括号 )',
  comma_or_end: (of) => `逗号或 ${of}`,
}
