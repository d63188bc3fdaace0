import { expect, test } from 'vitest'
import { dotsIn } from './previewDots'

const points = (...values: number[]) => ({
  values: Float32Array.from(values),
  count: values.length / 2,
  columns: 2,
})

test('dots fill the room, undistorted and with y upwards', () => {
  expect(dotsIn(points(0, 0, 2, 1), { width: 112, height: 212 })).toEqual([
    [6, 131],
    [106, 81],
  ])
})

test('a point alone stands in the middle, and what is no number nowhere', () => {
  expect(dotsIn(points(5, 5, NaN, 1), { width: 100, height: 50 })).toEqual([[50, 25]])
  expect(dotsIn(points(), { width: 100, height: 50 })).toEqual([])
})
