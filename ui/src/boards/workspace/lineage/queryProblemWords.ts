/** What is wrong with a query, in words; the service names the problem and what it is about. */

import type { ApiError } from '@/base/api/client'
import { wordsOf } from '@/i18n'
import type { About } from '@/i18n/en/workspace/queryProblems'
import { formatCount } from '@/base/numbers'

const expectedWords = wordsOf('queryExpected')

const problemWords = wordsOf('queryProblems')

/** In the language of the page; of a newer service as it puts it. */
export function queryProblem({ message, details }: ApiError): string {
  const say = (problemWords.value as Readonly<Record<string, (about: About) => string>>)[
    String(details['problem'])
  ]
  const expected = (expectedWords.value as Readonly<Record<string, (of: string) => string>>)[
    String(details['wanted'])
  ]
  if (!say || ('wanted' in details && !expected)) return message
  const {
    text = '',
    name = '',
    most = 0,
    near = [],
    columns = [],
    of = '',
  } = details as Partial<Omit<About, 'most'>> & { readonly most?: number; readonly of?: string }
  return say({ text, name, most: formatCount(most), near, columns, expected: expected?.(of) ?? '' })
}
