/** MindInsight's three stretches of a step, known where a recording marks begin of forward and end of backward. */

export const STRETCHES = ['interval', 'forward_backward', 'tail'] as const
export type Stretch = (typeof STRETCHES)[number]
export type Stretched = { readonly [stretch in Stretch]?: number }

/** Of the palette of series: waiting and computing have the colours that they have among the parts. */
export const STRETCH_COLOURS: Readonly<Record<string, number>> = { interval: 3, forward_backward: 0, tail: 9 }

/** Milliseconds by stretch; null where the recording does not know them. */
export const stretchesOf = (step: Stretched): Readonly<Record<Stretch, number>> | null =>
  step.interval === undefined
    ? null
    : { interval: step.interval, forward_backward: step.forward_backward ?? 0, tail: step.tail ?? 0 }
