/** Swipe comparison: a divider between two panes at the same step, or between two steps of one pane. */

import { itemsAt, type Stepped } from '@/board/steps/frames'
import type { Pane } from '@/board/steps/panes'

/** Stands for the pane on the left, on the right. */
export const SAME_PANE = '@'

export interface WipeChoice {
  /** Keys of panes; null: as they come. */
  readonly first: string | null
  readonly second: string | null
  /** The step on the right where both sides are of one pane; null: its first. */
  readonly against: number | null
}

export interface Wipe<T extends Stepped> {
  readonly first: Pane<T>
  readonly second: Pane<T>
  readonly isSame: boolean
  /** What lies on the left and on the right. */
  readonly items: readonly T[]
  readonly overs: readonly T[]
}

/** What is seen of `panes` at the step `here`; null when there are none. */
export function wipeOf<T extends Stepped>(
  panes: readonly Pane<T>[],
  choice: WipeChoice,
  here: number | null,
): Wipe<T> | null {
  if (panes.length === 0) return null
  const isSame = choice.second === SAME_PANE || panes.length === 1
  const chosen = panes.find(({ key }) => key === choice.second)
  const first =
    panes.find((pane) => pane.key === choice.first && (isSame || pane !== chosen)) ??
    panes.find((pane) => isSame || pane !== chosen)!
  const second = isSame ? first : (chosen ?? panes.find((pane) => pane !== first)!)
  const step = isSame ? (choice.against ?? first.frames.steps[0] ?? null) : here
  return { first, second, isSame, items: itemsAt(first.frames, here), overs: itemsAt(second.frames, step) }
}
