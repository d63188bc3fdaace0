import { expect, it } from 'vitest'
import { firstAt, firstShowing, lengthOf, scrollFor } from './gridScrolling'

it('scrolls small tables pixel by pixel', () => {
  const track = { count: 100, size: 24, room: 240 }

  expect(lengthOf(track)).toBe(2400)
  expect(firstAt(track, 36)).toBe(1.5)
  expect(scrollFor(track, 1.5)).toBe(36)
})

it('reaches the first and the last row of a table larger than any scroll bar', () => {
  const track = { count: 1e9, size: 24, room: 240 }

  expect(firstAt(track, 0)).toBe(0)
  expect(firstAt(track, lengthOf(track) - track.room)).toBe(1e9 - 10)
  expect(firstAt(track, scrollFor(track, 123_456))).toBeCloseTo(123_456, 3)
})

it('moves no further than needed to show a row', () => {
  const track = { count: 100, size: 24, room: 240 }

  expect(firstShowing(track, 5, 7)).toBe(5)
  expect(firstShowing(track, 5, 2)).toBe(2)
  expect(firstShowing(track, 5, 20)).toBe(11)
})
