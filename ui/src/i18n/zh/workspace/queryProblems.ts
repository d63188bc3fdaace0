import type { queryProblems as English } from '../../en/workspace/queryProblems'

export const queryProblems: typeof English = {
  too_long: ({ most }) => `查询超过 ${most} 个字符`,
  never_closed: ({ text }) => `引号 ${text} 没有闭合`,
  meaningless: ({ text }) => `“${text}”在此处没有意义`,
  unexpected: ({ text }) => `此处不应出现“${text}”`,
  too_many_levels: ({ most }) => `嵌套超过 ${most} 层`,
  ends_early: ({ expected }) => `查询不完整，末尾缺少${expected}`,
  other_expected: ({ expected, text }) => `此处应为${expected}，而不是“${text}”`,
  without_order: () => '布尔值只能用 = 和 != 比较',
  ambiguous_column: ({ name, columns }) => `“${name}”不明确，可能是 ${columns.join(' 或 ')}`,
  unknown_column: ({ name, near }) =>
    `没有名为“${name}”的列${near.length > 0 ? `，相近的有 ${near.join('、')}` : ''}`,
}
