/** What is known of a landscape besides its numbers, in words. */

import type { Landscape } from '@/api/landscapes'
import { formatCount, formatValue } from '@/charts/numbers'
import { w } from '@/i18n/landscapes'

/** A result has the last step in its tag, as `landscape_[500]`. */
const lastIn = (tag: string): string | null => /\[(\d+)\]$/.exec(tag)?.[1] ?? null

export function landscapeFacts(tag: string, { x, y, path, end, decomposition, unit, stepsPerEpoch }: Landscape, all: boolean): string {
  const last = lastIn(tag)
  const when = path && path.intervals.length > 0
    ? w.value.interval(String(path.intervals[0]), String(path.intervals.at(-1)), w.value.units[unit] ?? unit)
    : last === null ? '' : w.value.after(last, w.value.unitOne[unit] ?? unit)
  const more = [
    end ? `${w.value.end}: ${w.value.lossOf(formatValue(end.z, 5))}` : '',
    decomposition ? w.value.decomposition(decomposition) : '',
    stepsPerEpoch > 0 ? w.value.stepsPerEpoch(formatCount(stepsPerEpoch)) : '',
    w.value.grid(formatCount(x.length), formatCount(y.length)),
  ]
  return [when, ...(all ? more : [decomposition])].filter(Boolean).join(' · ')
}
