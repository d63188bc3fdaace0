import { expect, it } from 'vitest'
import { joinTags, type OwnTag } from './itemTags'

it('joins the tags of runs, whichever kind they are of', () => {
  const known = new Map<string, readonly OwnTag<'images' | 'video'>[]>([
    [
      'a',
      [
        { tag: 'x', kind: 'images', lastStep: 5 },
        { tag: 'x', kind: 'video', lastStep: 9 },
      ],
    ],
    [
      'b',
      [
        { tag: 'y', kind: 'images', lastStep: 1 },
        { tag: 'x', kind: 'images', lastStep: 7 },
      ],
    ],
    ['unchosen', [{ tag: 'z', kind: 'images', lastStep: 1 }]],
  ])

  expect(joinTags(['b', 'a', 'unasked'], known)).toEqual([
    { tag: 'y', kinds: ['images'], runs: ['b'], lastStep: 1 },
    { tag: 'x', kinds: ['images', 'video'], runs: ['b', 'a'], lastStep: 9 },
  ])
})
