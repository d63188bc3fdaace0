/** Colours and dashes of curves. The colours themselves are the CSS variables `--series-0` to `--series-11`. */

import { hash } from './hash'

export const PALETTE_SIZE = 12

const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3]]

/** The palette position of a run: depends on its identity alone, so it is the same on every page. */
export function colourIndex(identity: string): number {
  return hash(identity) % PALETTE_SIZE
}

export function dashAt(position: number): readonly number[] {
  return DASHES[position % DASHES.length]!
}

/** Dash numbers that tell apart those of `identities` that share a colour; the first of a colour is solid. */
export function dashNumbers(identities: readonly string[]): ReadonlyMap<string, number> {
  const used = new Array<number>(PALETTE_SIZE).fill(0)
  const dashes = new Map<string, number>()
  // Sorted, so that the order of selecting does not matter.
  for (const identity of [...new Set(identities)].sort()) {
    const colour = colourIndex(identity)
    dashes.set(identity, used[colour]!++)
  }
  return dashes
}
