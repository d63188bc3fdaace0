/** How often curves leave the limits that the user has set. */

import type { Curve } from './curve'
import type { Limits } from './plot'

export interface Beyond {
  readonly count: number
  /** True when some points were not looked at, so there may be more. */
  readonly isAtLeast: boolean
  readonly firstStep: number | null
}

export function isBeyond(value: number, { lower, upper }: Limits): boolean {
  return (upper !== null && value > upper) || (lower !== null && value < lower)
}

export function countBeyond(
  curves: readonly Pick<Curve, 'values' | 'steps' | 'downsampled'>[],
  limits: Limits,
): Beyond {
  let count = 0
  let firstStep: number | null = null
  let isAtLeast = false
  if (limits.lower === null && limits.upper === null) return { count, isAtLeast, firstStep }
  for (const { values, steps, downsampled } of curves) {
    let here = 0
    for (let i = 0; i < values.length; i++) {
      if (!isBeyond(values[i]!, limits)) continue
      here++
      firstStep = firstStep === null ? steps[i]! : Math.min(firstStep, steps[i]!)
    }
    count += here
    isAtLeast ||= downsampled && here > 0
  }
  return { count, isAtLeast, firstStep }
}
