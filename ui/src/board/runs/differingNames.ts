/** Short names of runs: the parts in which they differ from each other. */

export interface DifferingName {
  /** The parts that differ, in the order of the name; no two runs of a list have the same. */
  readonly lead: string
  /** The parts that the runs share, empty where there are none. */
  readonly rest: string
}

interface Part {
  readonly text: string
  /** What stands between the part before and this one. */
  readonly separator: string
}

/** Stands in for parts that were left out. */
const GAP = '…'
/** Parts longer than this are compared by their letters and digits. */
const LONG_PART = 20

/** Parts end at these signs; but `0.001` and `1e-4` are one part, and so is `lr=0.1`. */
const PARTS = /([/\-_.,\s]*)((?:\d+(?:\.\d+)*(?:e[+-]?\d+)?|[^/\-_.,\s])+)/giu
const LETTERS_OR_DIGITS = /\d+(?:\.\d+)*(?:e[+-]?\d+)?|[^\d]+/giu

function partsOf(name: string): readonly Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of name.matchAll(PARTS)) {
    parts.push({ separator: match[1]!, text: match[2]! })
    end = match.index + match[0].length
  }
  // Signs at the end of a name belong to its last part.
  const last = parts.pop()
  return last ? [...parts, { ...last, text: last.text + name.slice(end) }] : [{ separator: '', text: name }]
}

/** Long parts without signs in them, such as `adam64seed1batch256`, by letters and digits. */
const finer = (parts: readonly Part[]): readonly Part[] =>
  parts.flatMap((part) =>
    part.text.length <= LONG_PART
      ? [part]
      : [...part.text.matchAll(LETTERS_OR_DIGITS)].map(([text], at) => ({
          text,
          separator: at === 0 ? part.separator : '',
        })),
  )

/** For each name, which of its parts are not shared by all. */
function differing(names: readonly (readonly Part[])[]): readonly (readonly boolean[])[] {
  const [first] = names
  if (!first) return []
  if (names.every(({ length }) => length === first.length)) {
    const differs = first.map(({ text }, at) => names.some((parts) => parts[at]!.text !== text))
    return names.map(() => differs)
  }
  // Names of different shapes: what every one has is shared, wherever it stands.
  const shared = new Map<string, number>()
  for (const { text } of first) shared.set(text, (shared.get(text) ?? 0) + 1)
  for (const parts of names.slice(1)) {
    const counts = new Map<string, number>()
    for (const { text } of parts) counts.set(text, (counts.get(text) ?? 0) + 1)
    for (const [text, count] of shared) shared.set(text, Math.min(count, counts.get(text) ?? 0))
  }
  return names.map((parts) => {
    const left = new Map(shared)
    return parts.map(({ text }) => {
      const count = left.get(text) ?? 0
      if (count > 0) left.set(text, count - 1)
      return count === 0
    })
  })
}

/** The parts that are taken; `gap` stands for those between them that are not. */
function joined(parts: readonly Part[], isTaken: (at: number) => boolean, gap: string): string {
  let text = ''
  let skipped: Part[] = []
  parts.forEach((part, at) => {
    if (!isTaken(at)) return void skipped.push(part)
    // Folders stay apart whatever is left out between them.
    const own = skipped.some(({ separator }) => separator.includes('/')) ? '/' : part.separator
    if (gap === '' || skipped.length === 0) text += (text === '' ? '' : own) + part.text
    else text += (text === '' ? '' : skipped[0]!.separator) + gap + part.separator + part.text
    skipped = []
  })
  return text !== '' && skipped.length > 0 && gap !== '' ? text + skipped[0]!.separator + gap : text
}

const lastPath = (name: string): string => name.slice(name.lastIndexOf('/') + 1) || name

const folderOf = (name: string): string => name.slice(0, Math.max(0, name.lastIndexOf('/')))

/** The names without what all of them begin and end with, at borders of parts; wholes where nothing would be left. */
function folded(names: readonly string[]): ReadonlyMap<string, string> {
  const all = names.map(partsOf)
  const shortest = Math.min(...all.map(({ length }) => length))
  const isShared = (at: (parts: readonly Part[]) => Part | undefined): boolean =>
    all.every((parts) => at(parts)?.text === at(all[0]!)?.text)
  let head = 0
  while (head < shortest - 1 && isShared((parts) => parts[head])) head++
  let tail = 0
  while (tail < shortest - 1 - head && isShared((parts) => parts.at(-1 - tail))) tail++
  return new Map(
    names.map((name, place) => {
      const parts = all[place]!
      return [name, joined(parts, (at) => at >= head && at < parts.length - tail, '')]
    }),
  )
}

const hasLetters = ({ text }: Part): boolean => /\p{L}/u.test(text)

/** Which parts lead: those that differ. A number alone says little: it keeps the word before it. */
function leading(parts: readonly Part[], differs: readonly boolean[]): (at: number) => boolean {
  const first = differs.indexOf(true)
  const isNumber = first > 0 && !parts.some((part, at) => differs[at] && hasLetters(part))
  const keepsWord = isNumber && hasLetters(parts[first - 1]!) && !parts[first]!.separator.includes('/')
  return (at) => differs[at]! || (keepsWord && at === first - 1)
}

/** By name, what tells it from the others of `names`. Takes time in proportion to the length of all names. */
export function differingNames(names: readonly string[]): ReadonlyMap<string, DifferingName> {
  const distinct = [...new Set(names)]
  if (distinct.length < 2)
    return new Map(distinct.map((name) => [name, { lead: lastPath(name), rest: folderOf(name) }]))

  const all = distinct.map((name) => finer(partsOf(name)))
  const differs = differing(all)
  const isLeading = all.map((parts, i) => leading(parts, differs[i]!))
  const leads = distinct.map((name, i) => joined(all[i]!, isLeading[i]!, '') || lastPath(name))
  const uses = new Map<string, number>()
  for (const lead of leads) uses.set(lead, (uses.get(lead) ?? 0) + 1)
  const ambiguous = distinct.filter((_, i) => uses.get(leads[i]!)! > 1)
  // Names of the same parts in another order, or that differ only in their signs.
  const others = ambiguous.length > 0 ? folded(distinct) : null
  const short = new Map(
    distinct.map((name, i): readonly [string, DifferingName] => [
      name,
      uses.get(leads[i]!) === 1
        ? { lead: leads[i]!, rest: joined(all[i]!, (at) => !isLeading[i]!(at), GAP) }
        : { lead: others!.get(name)!, rest: '' },
    ]),
  )
  const isUnique = new Set([...short.values()].map(({ lead }) => lead)).size === distinct.length
  return isUnique ? foldersBehind(short) : new Map(distinct.map((name) => [name, { lead: name, rest: '' }]))
}

/** Folders that differ stand behind what they hold, where that alone tells all runs apart. */
function foldersBehind(names: ReadonlyMap<string, DifferingName>): ReadonlyMap<string, DifferingName> {
  const leaves = new Set([...names.values()].map(({ lead }) => lastPath(lead)))
  // Numbers alone say less than the folders they stand in.
  if (leaves.size < names.size || [...leaves].some((leaf) => !/\p{L}/u.test(leaf))) return names
  return new Map(
    [...names].map(([name, { lead, rest }]) => [
      name,
      lead.includes('/') ? { lead: lastPath(lead), rest: folderOf(lead) } : { lead, rest },
    ]),
  )
}
