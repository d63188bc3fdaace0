/** Curves that were fetched, by run and tag, so that cards that come back into view draw at once. */

import type { Curve } from '@/plot/curve'

export interface Held {
  readonly curves: readonly Curve[]
  readonly resume: 'latest' | 'all'
  readonly maxPoints: number
  readonly smoothing: number
  isStale: boolean
}

/** Points kept in all; a point takes about 32 bytes. */
const MOST_POINTS = 1_500_000

const cache = new Map<string, Held>() // in the order of use
let points = 0

const keyOf = (run: string, tag: string): string => `${run}\n${tag}`
const size = ({ curves }: Held): number => curves.reduce((sum, curve) => sum + curve.steps.length, 1)

export function held(run: string, tag: string): Held | undefined {
  const key = keyOf(run, tag)
  const found = cache.get(key)
  if (found) {
    cache.delete(key)
    cache.set(key, found)
  }
  return found
}

export function hold(run: string, tag: string, value: Held): void {
  const key = keyOf(run, tag)
  const old = cache.get(key)
  if (old) points -= size(old)
  cache.delete(key)
  cache.set(key, value)
  points += size(value)
  for (const [oldest, { curves }] of cache) {
    if (points <= MOST_POINTS || oldest === key) break
    points -= curves.reduce((sum, curve) => sum + curve.steps.length, 1)
    cache.delete(oldest)
  }
}

/** What is held of `runs` (all when empty) no longer counts as up to date. */
export function markStale(runs: readonly string[]): void {
  const changed = new Set(runs)
  for (const [key, value] of cache) {
    if (changed.size === 0 || changed.has(key.slice(0, key.indexOf('\n')))) value.isStale = true
  }
}
