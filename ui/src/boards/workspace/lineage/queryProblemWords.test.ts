import { beforeEach, expect, it } from 'vitest'
import { ApiError } from '@/base/api/client'
import { language } from '@/i18n'
import { queryProblem } from './queryProblemWords'

const problem = (details: Readonly<Record<string, unknown>>): ApiError =>
  new ApiError('query: as the service puts it (at character 1)', 400, 'bad_parameter', {
    position: 0,
    length: 1,
    ...details,
  })

beforeEach(() => (language.value = 'en'))

it('says what is wrong in the language of the page', () => {
  const unknown = problem({ problem: 'unknown_column', name: 'acuracy', near: ['accuracy'] })
  const bracket = problem({ problem: 'other_expected', wanted: 'comma_or_end', of: ']', text: '2' })
  expect([queryProblem(unknown), queryProblem(bracket)]).toEqual([
    "Unknown column 'acuracy'. Did you mean accuracy?",
    "Expected a comma or ], found '2'",
  ])

  language.value = 'zh'

  expect([queryProblem(unknown), queryProblem(bracket)]).toEqual([
    '没有名为“acuracy”的列，相近的有 accuracy',
    '此处应为逗号或 ]，而不是“2”',
  ])
})

it('says what it has no words for as the service does', () => {
  expect(queryProblem(problem({ problem: 'of a newer service' }))).toContain('as the service puts it')
  expect(queryProblem(problem({ problem: 'ends_early', wanted: 'of a newer service' }))).toContain(
    'as the service puts it',
  )
})
