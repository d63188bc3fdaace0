/** Series of pictures by step: which steps there are, and what is to be seen at one. */

import type { Picture } from '@/api/pictures'

/** The pictures of one series, by step; steps ascend. */
export interface Frames {
  readonly steps: readonly number[]
  readonly at: ReadonlyMap<number, readonly Picture[]>
}

const ascending = (numbers: Iterable<number>): readonly number[] => [...new Set(numbers)].sort((a, b) => a - b)

export function framesOf(items: readonly Picture[]): Frames {
  const at = new Map<number, Picture[]>()
  for (const item of items) {
    const there = at.get(item.step)
    if (there) there.push(item)
    else at.set(item.step, [item])
  }
  for (const pictures of at.values()) pictures.sort((a, b) => a.index - b.index)
  return { steps: ascending(at.keys()), at }
}

/** All steps that any of the series has. */
export const stepsOf = (frames: readonly Frames[]): readonly number[] => ascending(frames.flatMap(({ steps }) => [...steps]))

/** The position of the last of the ascending `steps` that is not after `step` (null: the newest); 0 when all are, -1 when there are none. */
export function positionAt(steps: readonly number[], step: number | null): number {
  if (step === null) return steps.length - 1
  let [low, high] = [0, steps.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (steps[middle]! <= step) low = middle + 1
    else high = middle
  }
  return steps.length === 0 ? -1 : Math.max(0, low - 1)
}

/** What a series shows while others are at `step`: its last pictures up to there. */
export function picturesAt({ steps, at }: Frames, step: number | null): readonly Picture[] {
  const position = positionAt(steps, step)
  return position < 0 ? [] : at.get(steps[position]!)!
}
