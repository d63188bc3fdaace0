/** Steps as bars: one each, or the mean of neighbours where there are more steps than bars have room. */

import type { StepRow } from '@rest'
import { stretchesOf } from './stretches'

export type Step = StepRow

export interface Bar {
  readonly first: number
  /** Behind the last one. */
  readonly last: number
  readonly duration: number
  /** By part or by stretch. */
  readonly parts: Readonly<Record<string, number>>
  readonly isUnusual: boolean
}

export type Stacking = 'parts' | 'stretches' | 'whole'

/** What the bars of these steps are made of: parts where all steps have them, else stretches, else nothing that is known. */
export function stackingOf(steps: readonly Step[]): Stacking {
  if (steps.every(({ parts }) => Object.values(parts).some((time) => time > 0))) return 'parts'
  return steps.some((step) => stretchesOf(step)) ? 'stretches' : 'whole'
}

const PIECES: Readonly<Record<Stacking, (step: Step) => Readonly<Record<string, number>>>> = {
  parts: ({ parts }) => parts,
  stretches: (step) => stretchesOf(step) ?? {},
  whole: () => ({}),
}

export function barsOf(steps: readonly Step[], room: number, stacking: Stacking = 'parts'): readonly Bar[] {
  const piecesOf = PIECES[stacking]
  const count = Math.min(steps.length, Math.max(1, room))
  return Array.from({ length: count }, (_, i) => {
    const [first, last] = [
      Math.floor((i * steps.length) / count),
      Math.floor(((i + 1) * steps.length) / count),
    ]
    const group = steps.slice(first, last)
    const mean = (of: (step: Step) => number): number =>
      group.reduce((sum, step) => sum + of(step), 0) / group.length
    const names = new Set(group.flatMap((step) => Object.keys(piecesOf(step))))
    const parts = Object.fromEntries(
      [...names].map((name) => [name, mean((step) => piecesOf(step)[name] ?? 0)]),
    )
    return {
      first,
      last,
      duration: mean((step) => step.duration),
      parts,
      isUnusual: group.some((step) => step.is_unusual),
    }
  })
}
