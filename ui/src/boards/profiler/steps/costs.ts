/** What an average step spends most time on besides computing: the answer of a profile in a few words. */

import { formatCount } from '@/base/numbers'
import { stepWords as w } from './words'

export interface Cost {
  readonly part: string
  /** Of the step, 0 to 1. */
  readonly share: number
}

const COMPUTE = 'compute'
/** Less than this is not what a step suffers from. */
const LEAST = 0.05

/** Null where the parts of steps are not known. */
export function largestCost(breakdown: Readonly<Record<string, number>>): Cost | null {
  const parts = Object.entries(breakdown)
  const total = parts.reduce((sum, [, time]) => sum + time, 0)
  if (!(total > 0)) return null
  const costs = parts.map(([part, time]): Cost => ({ part, share: time / total }))
  const [largest] = costs.filter(({ part }) => part !== COMPUTE).sort((a, b) => b.share - a.share)
  if (largest && largest.share >= LEAST) return largest
  return costs.find(({ part }) => part === COMPUTE) ?? null
}

export function costText(breakdown: Readonly<Record<string, number>>): string {
  const cost = largestCost(breakdown)
  return cost ? w.value.cost(`${formatCount(cost.share * 100)} %`, cost.part) : ''
}
