import { expect, test } from 'vitest'
import { joinRenamed } from '@/board/tags/renamedTags'
import { textName } from './textTags'

test('texts of several writers meet under one name', () => {
  const tags = [
    { tag: 'notes', kinds: ['text'] as const, runs: ['a'], lastStep: 3 },
    { tag: 'notes/text_summary', kinds: ['text'] as const, runs: ['b', 'a'], lastStep: 7 },
    { tag: 'other', kinds: ['text'] as const, runs: ['b'], lastStep: 1 },
  ]

  expect(joinRenamed(tags, textName)).toEqual([
    {
      tag: 'notes',
      kinds: ['text'],
      loggedAs: ['notes', 'notes/text_summary'],
      runs: ['a', 'b'],
      lastStep: 7,
    },
    { tag: 'other', kinds: ['text'], loggedAs: ['other'], runs: ['b'], lastStep: 1 },
  ])
  expect(textName('/text_summary')).toBe('/text_summary')
})
