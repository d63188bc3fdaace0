/** Counters beside the tracks: fetched for a little more than is in sight, and drawn as areas. */

import type { CounterSeriesList } from '@rest'
import { formatBytes, formatCompact, formatValue } from '@/base/numbers'

export interface CounterCurve {
  readonly time_ns: readonly number[]
  readonly value: readonly number[]
  readonly lowest: number
  readonly highest: number
}

export type CounterAnswer = CounterSeriesList

/** `before` is what was fetched of it earlier: its scale only grows, so that curves do not jump when a part of them is looked at. */
export function curveOf(
  { time_ns, value: logged }: Pick<CounterAnswer['counters'][number], 'time_ns' | 'value'>,
  before: CounterCurve | undefined,
): CounterCurve {
  const value = logged.map(Number)
  let { lowest, highest } = before ?? { lowest: 0, highest: 0 }
  for (const each of value) {
    if (!Number.isFinite(each)) continue
    lowest = Math.min(lowest, each)
    highest = Math.max(highest, each)
  }
  return { time_ns, value, lowest, highest }
}

const BYTES = /^B(?=$|\/)/

/** A value with its unit; bytes, and bytes per second, in the size that suits them. */
export function spokenValue(value: number, unit: string, { isShort = false } = {}): string {
  if (BYTES.test(unit) && Number.isFinite(value)) return `${formatBytes(value)}${unit.replace(BYTES, '')}`
  const text = isShort ? formatCompact(value) : formatValue(value)
  return unit ? `${text}\u202f${unit}` : text
}

/** The last one at `time` or before, -1 for none. */
export function lastAt(times: readonly number[], time: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** The value at a time, which holds until the next one; null before the first. */
export function valueAt({ time_ns: times, value }: CounterCurve, time: number): number | null {
  return value[lastAt(times, time)] ?? null
}
