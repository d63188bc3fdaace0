/** What changed between two texts: lines, and within lines words. */

/** A piece of a line; changed ones differ from the line's counterpart. */
export interface Part {
  readonly text: string
  readonly isChanged: boolean
}

export type Row =
  | { readonly kind: 'same' | 'gone' | 'new'; readonly parts: readonly Part[] }
  /** Lines left out because both texts have them. */
  | { readonly kind: 'fold'; readonly rows: readonly Row[] }

/** Unchanged lines shown before and after a change. */
const CONTEXT = 3
/** Texts with more differences count as different as a whole: looking further costs their square. */
const MOST_CHANGES = 1500
/** Lines that share less than this are not variants of each other. */
const LIKENESS = 0.3

/** Words, signs and the space between them; Chinese characters are words each. */
const WORDS = /(?:(?!\p{Script=Han})[\p{L}\p{N}_])+|\s+|./gsu

/** `before` and `after` hold the positions that have no counterpart in the other list. */
interface Changes {
  readonly before: ReadonlySet<number>
  readonly after: ReadonlySet<number>
}

/** The shortest way from one list to the other; see Myers, "An O(ND) difference algorithm and its variations". */
export function changesOf(before: readonly string[], after: readonly string[]): Changes {
  let head = 0
  while (head < before.length && head < after.length && before[head] === after[head]) head++
  let tail = 0
  while (
    tail < before.length - head &&
    tail < after.length - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++
  const [n, m] = [before.length - head - tail, after.length - head - tail]

  const gone = new Set<number>()
  const added = new Set<number>()
  const reaches = reachesOf(n, m, (x, y) => before[head + x] === after[head + y])
  if (!reaches) {
    for (let x = 0; x < n; x++) gone.add(head + x)
    for (let y = 0; y < m; y++) added.add(head + y)
    return { before: gone, after: added }
  }
  let [x, y] = [n, m]
  for (let d = reaches.length - 1; d > 0; d--) {
    const reach = reaches[d - 1]!
    const k = x - y
    const isDown = k === -d || (k !== d && at(reach, d - 1, k - 1) < at(reach, d - 1, k + 1))
    const from = at(reach, d - 1, isDown ? k + 1 : k - 1)
    if (isDown) added.add(head + from - (k + 1))
    else gone.add(head + from)
    ;[x, y] = [from, from - (isDown ? k + 1 : k - 1)]
  }
  return { before: gone, after: added }
}

/** How far along diagonal `k` one comes with `d` changes. */
const at = (reach: Int32Array, d: number, k: number): number => (k < -d || k > d ? -1 : reach[k + d]!)

/** For each number of changes how far one comes on each diagonal, up to the end; null when that takes too many. */
function reachesOf(
  n: number,
  m: number,
  isSame: (x: number, y: number) => boolean,
): readonly Int32Array[] | null {
  const reaches: Int32Array[] = []
  for (let d = 0; d <= Math.min(n + m, MOST_CHANGES); d++) {
    const last = reaches.at(-1)
    const reach = new Int32Array(2 * d + 1).fill(-1)
    for (let k = -d; k <= d; k += 2) {
      let x = 0
      if (last)
        x =
          k === -d || (k !== d && at(last, d - 1, k - 1) < at(last, d - 1, k + 1))
            ? at(last, d - 1, k + 1)
            : at(last, d - 1, k - 1) + 1
      let y = x - k
      while (x < n && y < m && isSame(x, y)) [x, y] = [x + 1, y + 1]
      reach[k + d] = x
      if (x >= n && y >= m) return [...reaches, reach]
    }
    reaches.push(reach)
  }
  return null
}

const whole = (text: string, isChanged = false): readonly Part[] => [{ text, isChanged }]

function partsOf(words: readonly string[], changed: ReadonlySet<number>): readonly Part[] {
  const parts: { text: string; isChanged: boolean }[] = []
  words.forEach((text, i) => {
    const last = parts.at(-1)
    const isChanged = changed.has(i)
    if (last?.isChanged === isChanged) last.text += text
    else parts.push({ text, isChanged })
  })
  return parts
}

/** A line and what became of it, with the words that differ. */
function pairOf(before: string, after: string): readonly [readonly Part[], readonly Part[]] {
  const [old, young] = [before.match(WORDS) ?? [], after.match(WORDS) ?? []]
  const changes = changesOf(old, young)
  const unchanged = old.reduce((sum, word, i) => sum + (changes.before.has(i) ? 0 : word.trim().length), 0)
  if (unchanged < LIKENESS * Math.max(before.trim().length, after.trim().length))
    return [whole(before), whole(after)]
  return [partsOf(old, changes.before), partsOf(young, changes.after)]
}

export function diffOf(before: string, after: string): readonly Row[] {
  const [old, young] = [before.split('\n'), after.split('\n')]
  const changes = changesOf(old, young)
  const rows: Row[] = []
  let same: Row[] = []
  let [x, y] = [0, 0]
  while (x < old.length || y < young.length) {
    const [fromX, fromY] = [x, y]
    while (changes.before.has(x)) x++
    while (changes.after.has(y)) y++
    if (x === fromX && y === fromY) {
      same.push({ kind: 'same', parts: whole(old[x]!) })
      ;[x, y] = [x + 1, y + 1]
      continue
    }
    rows.push(...folded(same, rows.length > 0, true))
    same = []
    const pairs = Array.from({ length: Math.min(x - fromX, y - fromY) }, (_, i) =>
      pairOf(old[fromX + i]!, young[fromY + i]!),
    )
    for (let i = fromX; i < x; i++)
      rows.push({ kind: 'gone', parts: pairs[i - fromX]?.[0] ?? whole(old[i]!) })
    for (let i = fromY; i < y; i++)
      rows.push({ kind: 'new', parts: pairs[i - fromY]?.[1] ?? whole(young[i]!) })
  }
  rows.push(...folded(same, rows.length > 0, false))
  return rows
}

/** A stretch of unchanged lines without its middle. */
function folded(rows: readonly Row[], hasBefore: boolean, hasAfter: boolean): readonly Row[] {
  const head = hasBefore ? CONTEXT : 0
  const tail = hasAfter ? CONTEXT : 0
  // A fold stands for at least two lines, or it saves nothing. Without any change there is nothing to be near to.
  if (rows.length < head + tail + 2 || (!hasBefore && !hasAfter)) return rows
  return [
    ...rows.slice(0, head),
    { kind: 'fold', rows: rows.slice(head, rows.length - tail) },
    ...rows.slice(rows.length - tail),
  ]
}
