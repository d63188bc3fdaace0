/** Curves of a comparison as lines and bands of charts. */

import type { Detail } from '@/board/report/report'
import { isOrdered, nearestPoint, type Band, type Line } from '@/plot/curves'
import { inOrder, valueText, type Looks } from './looks'
import type { ComparedCurve, Looking } from './queries/api'

export type ComparedLine = Line<ComparedCurve>

/** One of the charts beside each other that show the same tag. */
export interface Facet {
  readonly value: string
  readonly lines: readonly ComparedLine[]
  readonly bands: readonly Band<ComparedCurve>[]
}

interface Naming {
  readonly names: ReadonlyMap<string, string>
  /** What "no value" is called. */
  readonly nameless: string
}

export const lineKey = ({ tag, run, source, group, colour, dash, facet }: ComparedCurve): string =>
  JSON.stringify([tag, run, source, group, colour, dash, facet])

/** A name that says in what a curve differs from the others. */
function nameOf(
  curve: ComparedCurve,
  { names, nameless }: Naming,
  following: { readonly byColour: boolean; readonly byDash: boolean },
): string {
  if (curve.run)
    return [names.get(curve.run) ?? curve.run, ...(curve.source ? [curve.source] : [])].join(' · ')
  const others = [...(following.byColour ? [curve.colour] : []), ...(following.byDash ? [curve.dash] : [])]
  return [
    ...[...new Set([curve.group, ...others])].map((text) => valueText(text, nameless)),
    ...(curve.source ? [curve.source] : []),
  ].join(' · ')
}

/** Each stretch of places where a band is known is filled on its own: nothing is made up between them. */
function bandsOf(lower: ComparedLine, upper: ComparedLine): Band<ComparedCurve>[] {
  const found: Band<ComparedCurve>[] = []
  const { length } = lower.xs
  const isKnown = (at: number): boolean =>
    at < length && !Number.isNaN(lower.ys[at]!) && !Number.isNaN(upper.ys[at]!)
  const part = (line: ComparedLine, from: number, to: number): ComparedLine => ({
    ...line,
    xs: line.xs.subarray(from, to),
    ys: line.ys.subarray(from, to),
  })
  for (let at = 0, from = 0; at < length; at++) {
    if (!isKnown(at)) from = at + 1
    else if (!isKnown(at + 1) && at > from)
      found.push({ lower: part(lower, from, at + 1), upper: part(upper, from, at + 1), colour: upper.colour })
  }
  return found
}

/** Where places fall. */
const fallsIn = (xs: Float64Array): readonly number[] =>
  Array.from(xs.keys()).filter((at) => at > 0 && xs[at]! < xs[at - 1]!)

/**
 * `looking` tells what decides the look of single runs; groups carry it themselves. `endsAtFalls`:
 * what is written later at lower places is a line of its own.
 */
export function facetsOf(
  curves: readonly ComparedCurve[],
  looks: Looks,
  naming: Naming,
  looking: ReadonlyMap<string, Looking>,
  following: { readonly byColour: boolean; readonly byDash: boolean },
  endsAtFalls = false,
): readonly Facet[] {
  const sources = [...new Set(curves.map(({ source }) => source))].sort()
  const facets = new Map<string, { lines: ComparedLine[]; bands: Band<ComparedCurve>[] }>()
  for (const given of curves) {
    const curve = given.run ? { ...given, ...pick(looking.get(given.run)) } : given
    let facet = facets.get(curve.facet)
    if (!facet) facets.set(curve.facet, (facet = { lines: [], bands: [] }))
    const key = lineKey(curve)
    const line: ComparedLine = {
      key,
      name: nameOf(curve, naming, following),
      curve,
      colour: looks.colourOf(curve),
      dash: looks.dashOf(curve, sources.indexOf(curve.source)),
      side: 'left',
      ...(curve.run ? { run: curve.run } : {}),
      breaks: endsAtFalls ? fallsIn(curve.xs) : [],
      xs: curve.xs,
      ys: curve.smoothed ?? curve.values,
      isSmoothed: curve.smoothed !== null,
      isOrdered: isOrdered(curve.xs),
    }
    if (curve.low && curve.high && curve.low.some((value) => !Number.isNaN(value))) {
      const border = (values: Float64Array, is: 'lower' | 'upper'): ComparedLine => ({
        ...line,
        key: `${key} ${is}`,
        ys: values,
        curve: { ...curve, values },
        bound: { of: key, is },
      })
      const [lower, upper] = [border(curve.low, 'lower'), border(curve.high, 'upper')]
      facet.bands.push(...bandsOf(lower, upper))
      facet.lines.push(lower, upper)
    }
    facet.lines.push(line)
  }
  return inOrder(facets.keys()).map((value) => ({ value, ...facets.get(value)! }))
}

const pick = (looking: Looking | undefined): Partial<Looking> =>
  looking ? { group: looking.group, colour: looking.colour, dash: looking.dash, facet: looking.facet } : {}

/** What the bands of groups are, and how many runs there are, by the key of a line and one of its places. */
export function detailsOf(lines: readonly ComparedLine[]): (key: string, x: number) => Detail | null {
  const byKey = new Map(lines.map((line) => [line.key, line]))
  return (key, x) => {
    const line = byKey.get(key)
    if (!line?.curve.n) return null
    const { curve } = line
    const at = nearestPoint(line, x)
    return [curve.low?.[at] ?? NaN, curve.high?.[at] ?? NaN, curve.n![at]!]
  }
}

/** The curves of a group as a table, every point that was answered. */
export function groupCsv(
  curves: readonly ComparedCurve[],
  axis: string,
  cell: (text: string) => string,
): string {
  const number = (value: number | undefined): string =>
    value === undefined || Number.isNaN(value) ? '' : String(value)
  const lines = [
    ['tag', 'group', 'source', 'colour', 'dash', 'facet', axis, 'value', 'low', 'high', 'n']
      .map(cell)
      .join(','),
  ]
  for (const { tag, group, source, colour, dash, facet, xs, values, low, high, n } of curves) {
    const texts = [tag, group, source, colour, dash, facet].map(cell).join(',')
    for (let i = 0; i < xs.length; i++)
      lines.push(
        [texts, number(xs[i]), number(values[i]), number(low?.[i]), number(high?.[i]), number(n?.[i])].join(
          ',',
        ),
      )
  }
  return lines.join('\n').concat('\n')
}
