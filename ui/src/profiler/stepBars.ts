/** Steps as bars: one each, or the mean of neighbours where there are more steps than bars have room. */

export interface Step {
  readonly number: number
  readonly begin_ns: number
  readonly end_ns: number
  readonly duration: number
  readonly is_partial: boolean
  readonly interval?: number
  readonly forward_backward?: number
  readonly tail?: number
  readonly parts: Readonly<Record<string, number>>
  readonly overlapped: number
  readonly is_unusual: boolean
  readonly why: readonly { readonly name: string; readonly usual: number; readonly here: number }[]
}

export interface Bar {
  readonly first: number
  /** Behind the last one. */
  readonly last: number
  readonly duration: number
  readonly parts: Readonly<Record<string, number>>
  readonly isUnusual: boolean
}

export function barsOf(steps: readonly Step[], room: number): readonly Bar[] {
  const count = Math.min(steps.length, Math.max(1, room))
  return Array.from({ length: count }, (_, i) => {
    const [first, last] = [Math.floor((i * steps.length) / count), Math.floor(((i + 1) * steps.length) / count)]
    const group = steps.slice(first, last)
    const mean = (of: (step: Step) => number): number => group.reduce((sum, step) => sum + of(step), 0) / group.length
    const parts = Object.fromEntries(Object.keys(group[0]!.parts).map((part) => [part, mean((step) => step.parts[part] ?? 0)]))
    return { first, last, duration: mean((step) => step.duration), parts, isUnusual: group.some((step) => step.is_unusual) }
  })
}
