import { describe, expect, it } from 'vitest'
import { groupTags } from './groups'
import { expressionIn, filterOf } from './pattern'

describe('groupTags', () => {
  it('groups by the first part of the name, numbers by size', () => {
    expect(groupTags(['layer10/w', 'loss', 'layer2/w', 'layer2/b', 'Acc', '/odd'])).toEqual([
      { prefix: '', tags: ['/odd', 'Acc', 'loss'] },
      { prefix: 'layer2', tags: ['layer2/b', 'layer2/w'] },
      { prefix: 'layer10', tags: ['layer10/w'] },
    ])
  })
})

describe('filterOf', () => {
  it('takes regular expressions, upper and lower case alike', () => {
    expect(['train/Loss', 'val/acc'].filter(filterOf('^train|ACC$').matches)).toEqual([
      'train/Loss',
      'val/acc',
    ])
  })

  it('takes what is not an expression as plain text and says so', () => {
    const filter = filterOf('a(b')

    expect(filter.isValid).toBe(false)
    expect(['xa(by', 'ab'].filter(filter.matches)).toEqual(['xa(by'])
  })

  it('finds the expression between slashes', () => {
    expect(expressionIn('/a.b/')).toBe('a.b')
    expect(expressionIn('a/b')).toBeNull()
    expect(expressionIn('/')).toBeNull()
  })
})
