import { afterEach, expect, test } from 'vitest'
import { language } from '@/i18n'
import { jobStatus } from './jobStatus'

afterEach(() => {
  language.value = 'en'
})

test('an analysis tells its stage in the language of the page, and its state where it has none', () => {
  language.value = 'zh'

  expect(jobStatus({ state: 'analysing', message: 'reading' })).toBe('读取文件')
  expect(jobStatus({ state: 'analysing', message: '' })).toBe('分析中')
  expect(jobStatus({ state: 'queued', message: '' })).toBe('排队中')
})
