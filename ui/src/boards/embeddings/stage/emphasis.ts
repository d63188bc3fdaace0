/** How strongly each point is drawn: what is searched for and what is selected stands out. */

/** Size and strength. */
export type Emphasis = readonly [number, number]

export const HIDDEN: Emphasis = [0, 0]
export const FADED: Emphasis = [0.8, 0.14]
export const QUIET: Emphasis = [1, 0.45]
export const PLAIN: Emphasis = [1, 1]
export const STRONG: Emphasis = [1.5, 1]

export interface PointStates {
  readonly positions: Float32Array
  /** 1 for points whose group is shown; null: all are. */
  readonly shown: Uint8Array | null
  /** 1 for points that are searched for; null: nothing is. */
  readonly matches: Uint8Array | null
  /** The selected point and its neighbours. */
  readonly chosen: readonly number[]
}

/** Whether a point has a place and its group is shown. */
export const isDrawn = (
  { positions, shown }: Pick<PointStates, 'positions' | 'shown'>,
  point: number,
): boolean => !Number.isNaN(positions[point * 3]!) && (shown === null || shown[point] === 1)

/** Size and strength of each point in turn. */
export function emphasisOf(states: PointStates): Float32Array {
  const { positions, matches, chosen } = states
  const emphasis = new Float32Array((positions.length / 3) * 2)
  const usual = chosen.length > 0 ? QUIET : PLAIN
  for (let point = 0; point < positions.length / 3; point++) {
    const pair = !isDrawn(states, point)
      ? HIDDEN
      : matches === null
        ? usual
        : matches[point] === 1
          ? STRONG
          : FADED
    emphasis.set(pair, point * 2)
  }
  for (const point of chosen) if (isDrawn(states, point)) emphasis.set(STRONG, point * 2)
  return emphasis
}
