/** Colours of rows by the values of one column. */

import { axisOf, hasNumbers, partsOf, type AxisScale, type Column } from './axisTable'

/** From small to large; each can be seen on light and dark ground. */
const RAMP = [
  [69, 87, 199],
  [42, 143, 189],
  [47, 165, 138],
  [155, 181, 60],
  [232, 177, 31],
] as const

/** So many colours tell numbers apart; fewer changes of the pen draw faster. */
const SHADES = 48

/** The colour of a number that lies at `part` (0 to 1) of all. */
export function rampColour(part: number): string {
  const place = Math.min(1, Math.max(0, part)) * (RAMP.length - 1)
  const at = Math.min(RAMP.length - 2, Math.floor(place))
  const mix = RAMP[at]!.map((from, i) => Math.round(from + (RAMP[at + 1]![i]! - from) * (place - at)))
  return `rgb(${mix.join(' ')})`
}

export interface Colouring {
  /** The colour of each row; rows without a value have that of `missing`. */
  readonly of: readonly string[]
  /** What the colours of names mean; empty for numbers. */
  readonly names: readonly { readonly name: string; readonly colour: string }[]
}

/** `series` are the colours of names, in turn; `plain` is the one of all rows when there is no column. */
export function colouring(
  column: Column | null,
  rows: number,
  scale: AxisScale,
  colours: { readonly series: readonly string[]; readonly plain: string; readonly missing: string },
): Colouring {
  const { series, plain, missing } = colours
  if (!column) return { of: new Array<string>(rows).fill(plain), names: [] }
  const axis = axisOf(column, scale)
  if (axis.kind === 'names') {
    const named = new Map(axis.names.map((name, at) => [name, series[at % series.length]!]))
    return {
      of: column.values.map((cell) => (cell === null ? missing : named.get(String(cell))!)),
      names: [...named].map(([name, colour]) => ({ name, colour })),
    }
  }
  const shades = Array.from({ length: SHADES }, (_, i) => rampColour(i / (SHADES - 1)))
  const of = Array.from(partsOf(axis), (part) =>
    Number.isNaN(part) ? missing : shades[Math.round(Math.min(1, Math.max(0, part)) * (SHADES - 1))]!,
  )
  return { of, names: [] }
}

export const isRamp = (column: Column | null): boolean => column !== null && hasNumbers(column)
