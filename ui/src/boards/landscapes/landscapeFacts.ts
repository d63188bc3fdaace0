/** What is known of a landscape besides its numbers, in words. */

import { formatCount, formatValue } from '@/base/numbers'
import type { Landscape } from './api'
import type { Training } from './trainingsApi'
import { w } from './words'

/** A result has the last step in its tag, as `landscape_[500]`. */
const lastIn = (tag: string): string | null => /\[(\d+)\]$/.exec(tag)?.[1] ?? null

export function landscapeFacts(
  tag: string,
  { x, y, path, end, decomposition, unit, stepsPerEpoch }: Landscape,
  all: boolean,
): string {
  const last = lastIn(tag)
  const when =
    path && path.intervals.length > 0
      ? w.value.interval(
          String(path.intervals[0]),
          String(path.intervals.at(-1)),
          w.value.units[unit] ?? unit,
        )
      : last === null
        ? ''
        : w.value.after(last, w.value.unitOne[unit] ?? unit)
  const more = [
    end ? `${w.value.end}: ${w.value.lossOf(formatValue(end.z, 5))}` : '',
    decomposition ? w.value.decomposition(decomposition) : '',
    stepsPerEpoch > 1 ? w.value.stepsPerEpoch(formatCount(stepsPerEpoch)) : '',
    w.value.grid(formatCount(x.length), formatCount(y.length)),
  ]
  return [when, ...(all ? more : [decomposition])].filter(Boolean).join(' · ')
}

/** How the run was trained. */
export function trainingFacts({
  network,
  optimizer,
  learningRate,
  lossFunction,
  accuracy,
}: Training): string {
  const named = (name: string, value: string): string => (value ? `${name} ${value}` : '')
  return [
    named(w.value.network, network),
    named(w.value.optimizer, optimizer),
    named(w.value.learningRate, learningRate === null ? '' : formatValue(learningRate, 4)),
    named(w.value.lossFunction, lossFunction),
    named(w.value.accuracy, accuracy === null ? '' : formatValue(accuracy, 4)),
  ]
    .filter(Boolean)
    .join(' · ')
}
