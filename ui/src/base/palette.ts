/**
 * Colours and dashes of curves.
 *
 * The colours of the palette are the CSS variables `--series-0` to `--series-11`; people may give a run one of their own.
 */

import { hash } from './hash'

export const PALETTE_SIZE = 12

/** A place in the palette, or a CSS colour that people chose. */
export type RunColour = number | string

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3]]

/** The palette position that a run prefers: depends on its identity alone. */
export function colourIndex(identity: string): number {
  return hash(identity) % PALETTE_SIZE
}

/** Has no factor in common with the size of the palette, so that it leads to every colour. */
const STRIDE = 5

/** Runs that follow each other mostly share charts: so many of them differ, however many runs there are. */
const NEIGHBOURS = 8

/**
 * A colour for each run of a selection: the one people gave it, else the one it prefers, else another that is used least.
 *
 * Runs that come first keep theirs, so that adding a run at the end changes no other, unless people gave it a colour of
 * the palette, `series`. Up to 12 runs have a colour each, and of more runs those that follow each other.
 */
export function assignColours(
  runs: readonly string[],
  own: ReadonlyMap<string, string> = new Map(),
  series: readonly string[] = [],
): ReadonlyMap<string, RunColour> {
  const uses = new Array<number>(PALETTE_SIZE).fill(0)
  const colours = new Map<string, RunColour>()
  const recent: number[] = []
  for (const run of new Set(runs)) {
    const place = series.indexOf(own.get(run) ?? '')
    if (place >= 0) uses[place]!++
  }
  for (const run of runs) {
    if (colours.has(run)) continue
    const chosen = own.get(run)
    if (chosen) {
      colours.set(run, chosen)
      continue
    }
    const fewest = Math.min(...uses)
    let place = colourIndex(run)
    const isUsedLeast = (at: number): boolean => uses[at] === fewest
    const isFree = (at: number): boolean => isUsedLeast(at) && !recent.includes(at)
    // Where people gave away most of the palette, neighbours may have to share.
    const isWanted = uses.some((_, at) => isFree(at)) ? isFree : isUsedLeast
    while (!isWanted(place)) place = (place + STRIDE) % PALETTE_SIZE
    uses[place]!++
    recent.push(place)
    if (recent.length > NEIGHBOURS) recent.shift()
    colours.set(run, place)
  }
  return colours
}

/** What a canvas draws with, `series` being the palette of the theme. */
export const colourIn = (colour: RunColour, series: readonly string[]): string =>
  typeof colour === 'number' ? series[colour]! : colour

export function dashAt(position: number): readonly number[] {
  return DASHES[position % DASHES.length]!
}
