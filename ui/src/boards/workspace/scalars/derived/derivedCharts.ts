/** Charts that people make: expressions over scalars, which stand among the tags with `=` before them. */

const PREFIX = '='

/** A chart of the view: what it is called (its expression, if nothing), and what it shows. */
export interface DerivedChart {
  readonly name: string
  readonly expression: string
}

/** From its text in the address, `name = expression`. */
export function derivedChart(text: string): DerivedChart {
  const at = text.indexOf(PREFIX)
  return { name: text.slice(0, Math.max(0, at)).trim(), expression: text.slice(at + 1).trim() }
}

/** As it stands in the address. */
export const textOf = ({ name, expression }: DerivedChart): string =>
  `${name.replaceAll(PREFIX, ' ').trim()} ${PREFIX} ${expression.trim()}`.trim()

export const isDerived = (tag: string): boolean => tag.startsWith(PREFIX)
export const tagOf = ({ expression }: DerivedChart): string => PREFIX + expression

/** What a card of a tag is called. */
export function titleOf(tag: string, charts: readonly string[]): string {
  if (!isDerived(tag)) return tag
  return charts.map(derivedChart).find((chart) => tagOf(chart) === tag)?.name || tag.slice(PREFIX.length)
}

/** The run that differences of an expression are to; a group is none. */
export const baselineOf = (
  view: { readonly baseline: string; readonly groupBy: string; readonly groupPattern: string },
  ...tags: readonly string[]
): string | undefined =>
  tags.some(isDerived) && view.baseline !== '' && view.groupBy === '' && view.groupPattern === ''
    ? view.baseline
    : undefined

/** Whether an expression says nothing without a baseline. */
export const needsBaseline = (tag: string): boolean => isDerived(tag) && /delta\s*[(（]/i.test(tag)

/** How many of these values are no finite numbers. */
export const countNonFinite = (columns: readonly Float64Array[]): number =>
  columns.reduce(
    (sum, values) => sum + values.reduce((own, value) => own + (Number.isFinite(value) ? 0 : 1), 0),
    0,
  )
