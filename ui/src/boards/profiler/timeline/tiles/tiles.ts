/** Parts of the timeline at a level of detail: which ones a view needs, and those that were fetched. */

import type { Span } from '@/boards/profiler/timeline/viewport'
import { screenRatio } from '@/plot/canvas/canvas'
import type { Lane } from './decode'

/** A stretch of time at a level of detail: 2 ** level nanoseconds to a pixel, `TILE` pixels long. */
export interface Place {
  readonly level: number
  readonly index: number
}

export interface Tile extends Place {
  readonly span: Span
  readonly lanes: ReadonlyMap<number, Lane>
}

export const TILE = 2048
/** The begin of a tile is a whole number of nanoseconds. */
const FINEST = -11
const COARSEST = 50
/** How far to look for what may stand in for a tile that is not here yet. */
const FINER = 3
const BYTES_OF_SLICE = 29

export const spanOf = ({ level, index }: Place): Span => {
  const length = TILE * 2 ** level
  return { from: index * length, to: (index + 1) * length }
}

/** Never coarser than the screen, so that all slices that are as wide as one of its pixels are there. */
export function levelOf(nsPerPixel: number): number {
  return Math.min(COARSEST, Math.max(FINEST, Math.floor(Math.log2(nsPerPixel / screenRatio()) + 1e-9)))
}

export function placesIn({ from, to }: Span, level: number): readonly Place[] {
  const length = TILE * 2 ** level
  const places: Place[] = []
  for (let index = Math.floor(from / length); index * length < to; index++) places.push({ level, index })
  return places
}

const keyOf = (level: number, index: number, track: number): string => `${level} ${index} ${track}`

/** Those of one recording, the longest unused ones forgotten first. */
export class Tiles {
  private readonly known = new Map<string, { readonly tile: Tile; readonly bytes: number }>()
  private bytes = 0

  constructor(private readonly most = 64e6) {}

  get({ level, index }: Place, track: number): Tile | null {
    const key = keyOf(level, index, track)
    const entry = this.known.get(key)
    if (!entry) return null
    this.known.delete(key)
    this.known.set(key, entry)
    return entry.tile
  }

  has = ({ level, index }: Place, track: number): boolean => this.known.has(keyOf(level, index, track))

  put(place: Place, track: number, lanes: ReadonlyMap<number, Lane>): void {
    let bytes = 200
    for (const lane of lanes.values()) bytes += lane.begin.length * BYTES_OF_SLICE
    const key = keyOf(place.level, place.index, track)
    this.bytes += bytes - (this.known.get(key)?.bytes ?? 0)
    this.known.delete(key)
    this.known.set(key, { tile: { ...place, span: spanOf(place), lanes }, bytes })
    for (const [oldest, { bytes }] of this.known) {
      if (this.bytes <= this.most) break
      this.known.delete(oldest)
      this.bytes -= bytes
    }
  }

  /** What shows `place` best, later ones over earlier ones; each only for its part of that stretch. */
  best(place: Place, track: number): readonly Tile[] {
    const exact = this.get(place, track)
    if (exact) return [exact]
    const ancestors: Tile[] = []
    for (let level = place.level + 1; level <= COARSEST; level++) {
      const coarser = this.get({ level, index: Math.floor(place.index / 2 ** (level - place.level)) }, track)
      if (coarser) {
        ancestors.push(coarser)
        break
      }
    }
    for (let finer = 1; finer <= FINER; finer++) {
      const first = place.index * 2 ** finer
      for (let i = 0; i < 2 ** finer; i++) {
        const tile = this.get({ level: place.level - finer, index: first + i }, track)
        if (tile) ancestors.push(tile)
      }
    }
    return ancestors
  }
}
