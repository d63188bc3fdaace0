/** The columns of labels that points have, and what can be told from them. */

/** A column with few values that differ, each a group of points. */
export interface Groups {
  readonly kind: 'groups'
  readonly values: readonly string[]
  readonly counts: readonly number[]
  /** Of each point, the place of its value. */
  readonly codes: Uint32Array
}

/** A column of numbers; NaN where a point has none. */
export interface Measures {
  readonly kind: 'measures'
  readonly numbers: Float64Array
  readonly least: number
  readonly most: number
}

export interface Column {
  readonly name: string
  readonly texts: readonly string[]
  readonly content: Groups | Measures
}

/** Numbers with more different values than these are shades of one colour, not groups. */
const MOST_NUMBER_GROUPS = 20
/** So many groups can still be told apart, more or less. */
const MOST_GROUPS = 60

/** The columns of `labels`, a list for each point; `unnamed` names those without a name by their number, from 1. */
export function columnsOf(
  labels: readonly (readonly string[])[],
  header: readonly string[],
  unnamed: (number: number, isOnly: boolean) => string,
): readonly Column[] {
  // Not Math.max(...lengths): there may be a hundred thousand of them.
  const width = labels.reduce(
    (most, row) => Math.max(most, row.length),
    header.length && labels.length > 0 ? header.length : 0,
  )
  const used = new Set<string>()
  return Array.from({ length: width }, (_, place) => {
    let name = header[place] || unnamed(place + 1, width === 1)
    while (used.has(name)) name = `${name} ${place + 1}`
    used.add(name)
    const texts = labels.map((row) => row[place] ?? '')
    return { name, texts, content: contentOf(texts) }
  })
}

const asNumber = (text: string): number => (text.trim() === '' ? NaN : Number(text))

function contentOf(texts: readonly string[]): Groups | Measures {
  const places = new Map<string, number>()
  const counts: number[] = []
  const codes = new Uint32Array(texts.length)
  texts.forEach((text, i) => {
    let place = places.get(text)
    if (place === undefined) {
      place = counts.length
      places.set(text, place)
      counts.push(0)
    }
    counts[place]!++
    codes[i] = place
  })
  const values = [...places.keys()]
  const isNumeric =
    values.some((value) => value !== '') &&
    values.every((value) => value === '' || Number.isFinite(asNumber(value)))
  if (isNumeric && values.length > MOST_NUMBER_GROUPS) return measuresOf(texts)
  // In an order that people expect: numbers by value, texts by the alphabet, each with its colour.
  const order = values
    .map((_, place) => place)
    .sort((a, b) =>
      isNumeric
        ? asNumber(values[a]!) - asNumber(values[b]!)
        : values[a]!.localeCompare(values[b]!, undefined, { numeric: true }),
    )
  const rank = new Uint32Array(values.length)
  order.forEach((place, at) => (rank[place] = at))
  return {
    kind: 'groups',
    values: order.map((place) => values[place]!),
    counts: order.map((place) => counts[place]!),
    codes: codes.map((code) => rank[code]!),
  }
}

function measuresOf(texts: readonly string[]): Measures {
  const numbers = Float64Array.from(texts, asNumber)
  let [least, most] = [Infinity, -Infinity]
  for (const number of numbers) {
    if (number < least) least = number
    if (number > most) most = number
  }
  return { kind: 'measures', numbers, least, most }
}

/** The column whose colours say most: one of a few groups, else one of numbers; null when each point is its own group. */
export function tellingColumn(columns: readonly Column[]): Column | null {
  const isTelling = ({ texts, content }: Column): boolean =>
    content.kind === 'groups' &&
    content.values.length > 1 &&
    content.values.length <= Math.min(MOST_GROUPS, texts.length / 2)
  return columns.find(isTelling) ?? columns.find(({ content }) => content.kind === 'measures') ?? null
}

/** The column by which points are best told apart: of those with texts the one with the most different ones. */
export function namingColumn(columns: readonly Column[]): Column | null {
  const variety = ({ content }: Column): number => (content.kind === 'groups' ? content.values.length : 0)
  return columns.reduce<Column | null>(
    (best, column) => (best === null || variety(column) > variety(best) ? column : best),
    null,
  )
}

/** What a point is called. */
export const nameOf = (naming: Column | null, point: number): string => naming?.texts[point] || `#${point}`
