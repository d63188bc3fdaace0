/** Counters beside the tracks: fetched for a little more than is in sight, and drawn as areas. */

export interface CounterCurve {
  readonly time_ns: readonly number[]
  readonly value: readonly number[]
  readonly lowest: number
  readonly highest: number
}

export interface CounterAnswer {
  readonly counters: readonly { readonly name: string; readonly time_ns: readonly number[]; readonly value: readonly number[] }[]
}

export function curveOf({ time_ns, value }: CounterAnswer['counters'][number]): CounterCurve {
  let [lowest, highest] = [0, 0]
  for (const each of value) {
    if (!Number.isFinite(each)) continue
    lowest = Math.min(lowest, each)
    highest = Math.max(highest, each)
  }
  return { time_ns, value, lowest, highest }
}

/** The value at a time, which holds until the next one; null before the first. */
export function valueAt({ time_ns: times, value }: CounterCurve, time: number): number | null {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (times[middle]! <= time) low = middle + 1
    else high = middle
  }
  return low > 0 ? value[low - 1]! : null
}
