/** Which steps of a recording are drawn. */

import type { Source, StepBand } from '@/boards/profiler/timeline/tiles/traceSource'
import type { Span } from '@/boards/profiler/timeline/viewport'

const NARROWEST_PX = 3

/** Those in sight, none where they would be too narrow to tell apart. */
export function stepsIn(
  { steps, offset }: Pick<Source, 'steps' | 'offset'>,
  { from, to }: Span,
  width: number,
): readonly StepBand[] {
  const after = (time: number): number => {
    let [low, high] = [0, steps.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (steps[middle]!.begin_ns + offset < time) low = middle + 1
      else high = middle
    }
    return low
  }
  const [first, last] = [Math.max(0, after(from) - 1), after(to)]
  return (last - first) * NARROWEST_PX <= width ? steps.slice(first, last) : []
}
