import { expect, it } from 'vitest'
import { Effort } from './frameBudget'

/** Frames of a machine that needs so long for all points and for everything else. */
function move(effort: Effort, frames: number, pointsMs: number, otherMs: number): void {
  for (let i = 0; i < frames; i++) effort.note(effort.share, effort.share * pointsMs + otherMs)
}

it('draws everything where that is fast', () => {
  const effort = new Effort()
  move(effort, 50, 5, 10)
  expect(effort.share).toBe(1)
  expect(effort.isHeavy).toBe(false)
})

it('is fluent from the second frame on where it is slow', () => {
  const effort = new Effort()
  move(effort, 1, 4000, 5)
  expect(effort.isHeavy).toBe(true)
  expect(effort.share * 4000 + 5).toBeLessThan(50)
})

it('comes back when the machine has time again', () => {
  const effort = new Effort()
  move(effort, 5, 4000, 5)
  move(effort, 60, 10, 5)
  expect(effort.share).toBe(1)
})
