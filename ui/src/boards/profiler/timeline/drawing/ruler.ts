/** Times along the top of the timeline. */

import type { Span } from '@/boards/profiler/timeline/viewport'
import { linearTicks } from '@/plot/ticks'

const UNITS: readonly (readonly [number, string])[] = [
  [1e9, 's'],
  [1e6, 'ms'],
  [1e3, 'µs'],
  [1, 'ns'],
]

export interface RulerTick {
  readonly at: number
  readonly label: string
}

/** Round times with a label each; all have one unit, and as many decimals as tell them apart. */
export function rulerTicks({ from, to }: Span, count: number): readonly RulerTick[] {
  const { values } = linearTicks(from, to, count)
  const largest = Math.max(...values.map(Math.abs), 1)
  const gap = values.length > 1 ? values[1]! - values[0]! : largest
  const [factor, unit] = UNITS.find(([size]) => largest >= size)!
  const decimals = Math.min(Math.max(0, -Math.floor(Math.log10(gap / factor) + 1e-9)), 10)
  const text = (value: number): string =>
    (value / factor).toLocaleString('en', {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    })
  return values.map((at) => ({ at, label: `${text(at)} ${unit}` }))
}
