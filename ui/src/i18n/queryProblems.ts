/** What is wrong with a query, in words; the service names the problem and what it is about. */

import type { ApiError } from '@/api/client'
import { formatCount } from '@/charts/numbers'
import { words } from './words'

/** What a problem is about; which of these it has depends on the problem. */
interface About {
  readonly text: string
  readonly name: string
  readonly most: string
  readonly near: readonly string[]
  readonly columns: readonly string[]
  /** What should stand there, in words. */
  readonly wanted: string
}

const wantedWords = words({
  column: () => 'a column',
  value: () => 'a value',
  text: () => 'a text',
  comparison: (of: string) => `a comparison with ${of}`,
  missing: () => 'the word missing',
  list: () => 'a list in brackets, as in [1, 2]',
  closing_bracket: () => 'a closing bracket )',
  comma_or_end: (of: string) => `, or ${of}`,
}, {
  column: () => '列名',
  value: () => '值',
  text: () => '文本',
  comparison: (of) => `与 ${of} 的比较`,
  missing: () => '单词 missing',
  list: () => '方括号中的列表，如 [1, 2]',
  closing_bracket: () => '右括号 )',
  comma_or_end: (of) => `逗号或 ${of}`,
})

const problemWords = words({
  too_long: ({ most }: About) => `The query is longer than ${most} characters`,
  never_closed: ({ text }: About) => `The ${text} is never closed`,
  meaningless: ({ text }: About) => `'${text}' means nothing here`,
  unexpected: ({ text }: About) => `'${text}' was not expected`,
  too_many_levels: ({ most }: About) => `More than ${most} levels`,
  ends_early: ({ wanted }: About) => `The query ends where ${wanted} is missing`,
  other_expected: ({ wanted, text }: About) => `Expected ${wanted}, not '${text}'`,
  without_order: () => 'true and false have no order',
  ambiguous_column: ({ name, columns }: About) => `'${name}' may be ${columns.join(' or ')}`,
  unknown_column: ({ name, near }: About) => `There is no column '${name}'${near.length > 0 ? `; near are ${near.join(', ')}` : ''}`,
}, {
  too_long: ({ most }) => `查询超过 ${most} 个字符`,
  never_closed: ({ text }) => `引号 ${text} 没有闭合`,
  meaningless: ({ text }) => `“${text}”在此处没有意义`,
  unexpected: ({ text }) => `此处不应出现“${text}”`,
  too_many_levels: ({ most }) => `嵌套超过 ${most} 层`,
  ends_early: ({ wanted }) => `查询不完整，末尾缺少${wanted}`,
  other_expected: ({ wanted, text }) => `此处应为${wanted}，而不是“${text}”`,
  without_order: () => 'true 和 false 没有大小之分',
  ambiguous_column: ({ name, columns }) => `“${name}”不明确，可能是 ${columns.join(' 或 ')}`,
  unknown_column: ({ name, near }) => `没有名为“${name}”的列${near.length > 0 ? `，相近的有 ${near.join('、')}` : ''}`,
})

/** In the language of the page; of a newer service as it puts it. */
export function queryProblem({ message, details }: ApiError): string {
  const say = (problemWords.value as Readonly<Record<string, (about: About) => string>>)[String(details['problem'])]
  const wanted = (wantedWords.value as Readonly<Record<string, (of: string) => string>>)[String(details['wanted'])]
  if (!say || ('wanted' in details && !wanted)) return message
  const { text = '', name = '', most = 0, near = [], columns = [], of = '' } = details as Partial<Omit<About, 'most'>> & { readonly most?: number; readonly of?: string }
  return say({ text, name, most: formatCount(most), near, columns, wanted: wanted?.(of) ?? '' })
}
