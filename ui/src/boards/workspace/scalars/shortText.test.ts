import { describe, expect, it } from 'vitest'
import { shortText } from './shortText'

describe('shortText', () => {
  it('keeps both ends of what is too long, and whole characters', () => {
    expect(shortText('loss', 4)).toBe('loss')
    expect(shortText('abcdefghij', 5)).toBe('ab…ij')
    expect(shortText('损失😀😀😀函数', 4)).toBe('损失…数')
  })
})
