import { describe, expect, it } from 'vitest'
import { labelsOf, merged } from './drafts'

describe('drafts', () => {
  it('reads labels with commas of both keyboards, each once', () => {
    expect(labelsOf('best, 论文，best,, x ')).toEqual(['best', '论文', 'x'])
    expect(labelsOf(' ')).toEqual([])
  })

  it('merges two notes without saying anything twice', () => {
    expect(merged('theirs', 'mine')).toBe('theirs\nmine')
    expect(merged('first and more', 'first')).toBe('first and more')
    expect(merged('first', 'first and mine')).toBe('first and mine')
  })
})
