import { expect, test } from 'vitest'
import { lastStepOf, newestTags } from './previews'

const tag = (name: string, last: number, count = 9) => ({
  tag: name,
  count,
  first_step: 0,
  last_step: last,
  superseded: 0,
})

test('what was written last comes first, and of that what people look at', () => {
  const tags = {
    scalars: [
      tag('a', 5),
      tag('train/loss', 9),
      tag('lr', 9),
      tag('eval/accuracy', 9),
      tag('hparam/loss', 10, 1),
    ],
    images: [tag('x', 3)],
  }

  expect(newestTags(tags, ['scalars']).map((item) => item.tag)).toEqual([
    'train/loss',
    'eval/accuracy',
    'lr',
    'a',
    'hparam/loss',
  ])
  expect(newestTags(tags, ['images', 'video'])).toEqual([{ tag: 'x', kind: 'images', lastStep: 3 }])
  expect(lastStepOf(tags)).toBe(10)
  expect(lastStepOf({})).toBeNull()
})
