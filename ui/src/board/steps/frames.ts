/** Series of items by step: which steps there are, and what is to be seen at one. */

/** What was logged at a step; `index` is its place among the items of that step. */
export interface Stepped {
  readonly step: number
  readonly index?: number
}

/** The items of one series, by step; steps ascend. */
export interface Frames<T extends Stepped> {
  readonly steps: readonly number[]
  readonly at: ReadonlyMap<number, readonly T[]>
}

const ascending = (numbers: Iterable<number>): readonly number[] =>
  [...new Set(numbers)].sort((a, b) => a - b)

export function framesOf<T extends Stepped>(items: readonly T[]): Frames<T> {
  const at = new Map<number, T[]>()
  for (const item of items) {
    const there = at.get(item.step)
    if (there) there.push(item)
    else at.set(item.step, [item])
  }
  for (const there of at.values()) there.sort((a, b) => (a.index ?? 0) - (b.index ?? 0))
  return { steps: ascending(at.keys()), at }
}

/** All steps that any of the series has. */
export const stepsOf = (frames: readonly Pick<Frames<Stepped>, 'steps'>[]): readonly number[] =>
  ascending(frames.flatMap(({ steps }) => [...steps]))

/**
 * The position of the last of the ascending `steps` that is not after `step` (null: the newest); 0
 * when all are, -1 when there are none.
 */
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

/** So many of the `steps`, evenly chosen, the first and the last among them. */
export function evenly(steps: readonly number[], count: number): readonly number[] {
  if (count >= steps.length) return steps
  if (count < 2) return steps.slice(-1)
  return Array.from({ length: count }, (_, i) => steps[Math.round((i * (steps.length - 1)) / (count - 1))]!)
}

/** What a series shows while others are at `step`: its last items up to there. */
export function itemsAt<T extends Stepped>({ steps, at }: Frames<T>, step: number | null): readonly T[] {
  const position = positionAt(steps, step)
  return position < 0 ? [] : at.get(steps[position]!)!
}
