import { describe, expect, it } from 'vitest'
import type { Picture } from '@/boards/images/api'
import { evenly, framesOf, itemsAt, positionAt, stepsOf } from './frames'

const picture = (step: number, index = 0): Picture => ({
  step,
  index,
  wall_time: 0,
  width: 4,
  height: 3,
  url: `/${step}.${index}`,
})

describe('framesOf', () => {
  it('puts the pictures of a step together, in their order', () => {
    const frames = framesOf([picture(20, 1), picture(20, 0), picture(3)])

    expect(frames.steps).toEqual([3, 20])
    expect(frames.at.get(20)!.map(({ index }) => index)).toEqual([0, 1])
  })
})

describe('evenly', () => {
  const steps = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

  it('has the first and the last', () => {
    expect(evenly(steps, 4)).toEqual([0, 3, 6, 9])
    expect(evenly(steps, 2)).toEqual([0, 9])
  })

  it('has all where there is room, and the newest where there is little', () => {
    expect(evenly(steps, 10)).toEqual(steps)
    expect(evenly(steps, 99)).toEqual(steps)
    expect(evenly(steps, 1)).toEqual([9])
    expect(evenly([], 3)).toEqual([])
  })
})

describe('stepsOf', () => {
  it('has every step of any series once, by size', () => {
    expect(
      stepsOf([framesOf([picture(100), picture(9)]), framesOf([picture(9), picture(50)]), framesOf([])]),
    ).toEqual([9, 50, 100])
  })
})

describe('positionAt', () => {
  it.each([
    [[10, 20, 30], 20, 1],
    [[10, 20, 30], 29, 1],
    [[10, 20, 30], 1e9, 2],
    [[10, 20, 30], 1, 0],
    [[10, 20, 30], null, 2],
    [[], 5, -1],
    [[], null, -1],
  ])('of %j at %s is %i', (steps, step, expected) => expect(positionAt(steps, step)).toBe(expected))
})

describe('itemsAt', () => {
  it('shows the last ones up to the step, and the first before they begin', () => {
    const frames = framesOf([picture(10), picture(20), picture(20, 1)])

    expect(itemsAt(frames, 15).map(({ url }) => url)).toEqual(['/10.0'])
    expect(itemsAt(frames, null).map(({ url }) => url)).toEqual(['/20.0', '/20.1'])
    expect(itemsAt(frames, 1).map(({ url }) => url)).toEqual(['/10.0'])
    expect(itemsAt(framesOf([]), 1)).toEqual([])
  })
})
