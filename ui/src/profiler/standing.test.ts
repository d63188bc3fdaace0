import { afterEach, expect, test } from 'vitest'
import { language } from '@/i18n'
import { standing } from './standing'

afterEach(() => {
  language.value = 'en'
})

test('an analysis tells its stage in the language of the page, and its state where it has none', () => {
  language.value = 'zh'

  expect(standing({ state: 'analysing', message: 'reading' })).toBe('读取文件')
  expect(standing({ state: 'analysing', message: '' })).toBe('分析中')
  expect(standing({ state: 'queued', message: '' })).toBe('排队中')
})
