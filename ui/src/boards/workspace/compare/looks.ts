/** Which colours and dashes curves of a comparison have, and what these mean. */

import { rampColour } from '@/boards/workspace/sheet/axes/rowColours'
import type { Looking } from './queries/api'
import { dashAt, PALETTE_SIZE } from '@/base/palette'
import { compareNames } from '@/base/groups'

/** A meaning of a colour or dash: several lines of one look are told together. */
export interface Meaning {
  readonly key: string
  readonly name: string
  readonly colour: string
  readonly dash: readonly number[]
  readonly runs: number
}

export interface Looks {
  colourOf(curve: Looking & { readonly run: string }): string
  /** `shift` tells apart what several writers of one run have logged. */
  dashOf(curve: Looking & { readonly run: string }, shift?: number): readonly number[]
  readonly legend: readonly Meaning[]
}

/** What the looks follow; all false: each run has its own. */
export interface Following {
  readonly isGrouped: boolean
  readonly byColour: boolean
  readonly byDash: boolean
}

/** So many values of a ramp are named. */
const NAMED_SHADES = 5

/** Numbers by size before names; what has no value comes last. */
export function inOrder(values: Iterable<string>): readonly string[] {
  const rank = (value: string): number => (value === '' ? 2 : Number.isNaN(Number(value)) ? 1 : 0)
  return [...new Set(values)].sort(
    (a, b) => rank(a) - rank(b) || (rank(a) === 0 ? Number(a) - Number(b) : 0) || compareNames(a, b),
  )
}

/** A value as people read it: without the digits that binary fractions have; `nameless` is what "no value" is called. */
export function valueText(value: string, nameless: string): string {
  const number = Number(value)
  const isFraction = value.length > 9 && Number.isFinite(number) && !Number.isInteger(number)
  return isFraction ? String(Number(number.toPrecision(7))) : value || nameless
}

const isNumeric = (value: string): boolean => value === '' || !Number.isNaN(Number(value))

/** The colour of each value: those of the palette in turn, or from small to large where there are many numbers. */
export function coloursOf(
  values: readonly string[],
  series: readonly string[],
  missing: string,
): ReadonlyMap<string, string> {
  const numbers = values.filter((value) => value !== '')
  const isRamp = numbers.length > PALETTE_SIZE && values.every(isNumeric)
  return new Map(
    values.map((value, at) => [
      value,
      value === '' ? missing : isRamp ? rampColour(at / (numbers.length - 1)) : series[at % series.length]!,
    ]),
  )
}

/**
 * `series` is the palette, `own` the colour of a run, `plain` that of what has none of its own; `nameless` is what
 * "no value" is called.
 */
export function looksOf(
  runs: readonly (Looking & { readonly run: string })[],
  { isGrouped, byColour, byDash }: Following,
  colours: { readonly series: readonly string[]; readonly plain: string; own(run: string): string },
  nameless: string,
): Looks {
  const { series, plain, own } = colours
  const count = (pick: (run: Looking) => string): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>()
    for (const run of runs) counts.set(pick(run), (counts.get(pick(run)) ?? 0) + 1)
    return counts
  }
  const named = (value: string): string => valueText(value, nameless)

  const groups = inOrder(runs.map(({ group }) => group))
  const groupPlaces = new Map(groups.map((group, at) => [group, at]))
  const colourValues = inOrder(runs.map(({ colour }) => colour))
  const byValue = coloursOf(colourValues, series, plain)
  const dashPlaces = new Map(inOrder(runs.map(({ dash }) => dash)).map((dash, at) => [dash, at]))

  const colourOf = ({ run, group, colour }: Looking & { readonly run: string }): string => {
    if (byColour) return byValue.get(colour) ?? plain
    return isGrouped ? series[(groupPlaces.get(group) ?? 0) % series.length]! : own(run)
  }
  const dashOf = ({ group, dash }: Looking & { readonly run: string }, shift = 0): readonly number[] => {
    // A dash means one thing: the column it follows, else the group where colours do not tell it, else the writer.
    if (byDash) return dashAt(dashPlaces.get(dash) ?? 0)
    if (isGrouped && (byColour || groups.length > PALETTE_SIZE))
      return dashAt(
        byColour ? (groupPlaces.get(group) ?? 0) : Math.floor((groupPlaces.get(group) ?? 0) / PALETTE_SIZE),
      )
    return dashAt(shift)
  }

  const legend: Meaning[] = []
  if (byColour) {
    const counts = count(({ colour }) => colour)
    const stride =
      colourValues.length > PALETTE_SIZE && colourValues.every(isNumeric)
        ? Math.ceil((colourValues.length - 1) / (NAMED_SHADES - 1))
        : 1
    colourValues.forEach((value, at) => {
      if (at % stride === 0 || at === colourValues.length - 1)
        legend.push({
          key: `colour ${value}`,
          name: named(value),
          colour: byValue.get(value)!,
          dash: [],
          runs: counts.get(value)!,
        })
    })
  }
  // Groups have colours, or else dashes, of their own; where both follow columns, only their names tell them apart.
  if (isGrouped && !(byColour && byDash)) {
    const counts = count(({ group }) => group)
    for (const group of groups) {
      const curve = { run: '', group, colour: '', dash: '', facet: '' }
      legend.push({
        key: `group ${group}`,
        name: named(group),
        colour: byColour ? plain : colourOf(curve),
        dash: byDash ? [] : dashOf(curve),
        runs: counts.get(group)!,
      })
    }
  }
  if (byDash) {
    const counts = count(({ dash }) => dash)
    for (const [dash, place] of dashPlaces)
      legend.push({
        key: `dash ${dash}`,
        name: named(dash),
        colour: plain,
        dash: dashAt(place),
        runs: counts.get(dash)!,
      })
  }
  return { colourOf, dashOf, legend }
}
