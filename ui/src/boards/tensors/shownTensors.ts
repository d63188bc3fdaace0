/** What the panes of a card show at a step, and what is taken from it. */

import { itemsAt, positionAt } from '@/board/steps/frames'
import type { Pane } from '@/board/steps/panes'
import type { TensorItem, TensorPlace } from './api'
import type { Minus } from './tensorView'

export interface ShownTensor {
  readonly pane: Pane<TensorItem>
  readonly item: TensorItem
  /** null: there is no step to compare with. */
  readonly place: TensorPlace | null
}

/** The step of a series that is taken from `step`: null for none, undefined when there is none to take. */
export function minusStep(steps: readonly number[], step: number, minus: Minus): number | null | undefined {
  if (minus === null) return null
  const at =
    minus === 'previous' ? positionAt(steps, step) - 1 : minus === 'first' ? 0 : positionAt(steps, minus)
  const other = steps[at]
  return other === step && typeof minus !== 'number' ? undefined : other
}

/** One for each pane that has something to show. */
export function shownTensors(
  panes: readonly Pane<TensorItem>[],
  tag: string,
  here: number | null,
  minus: Minus,
): readonly ShownTensor[] {
  return panes.flatMap((pane) => {
    const item = itemsAt(pane.frames, here).at(-1)
    if (!item) return []
    const other = minusStep(pane.frames.steps, item.step, minus)
    return [
      {
        pane,
        item,
        place:
          other === undefined
            ? null
            : {
                run: pane.run,
                tag,
                source: pane.source,
                step: item.step,
                wall: pane.replaced > 0 ? item.wall : null,
                minus: other,
              },
      },
    ]
  })
}
