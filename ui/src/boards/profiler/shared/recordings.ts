/** Ranks that were recorded together, as one recording. */

import type { RouteLocationRaw } from 'vue-router'
import type { Profile } from './api'

/** The ranks of one recording. */
export interface Recording {
  readonly session: string
  readonly profiles: readonly Profile[]
  /** The first rank whose analysis is there; else the first. */
  readonly first: Profile
  /** As many as were recorded, or as the profiler noted where it noted more. */
  readonly ranks: number
}

/** In the order of the profiles. */
export function recordingsOf(profiles: readonly Profile[]): readonly Recording[] {
  const sessions = new Map<string, Profile[]>()
  for (const profile of profiles) {
    const key = profile.session || profile.id
    sessions.set(key, [...(sessions.get(key) ?? []), profile])
  }
  return [...sessions].map(([session, ranks]) => ({
    session,
    profiles: ranks,
    first: ranks.find(({ state }) => state === 'ready') ?? ranks[0]!,
    ranks: Math.max(ranks.length, ...ranks.map(({ ranks: count }) => count ?? 0)),
  }))
}

/** Where two recordings are compared, rank by rank where both have the same. */
export function comparisonOf(one: Recording, other: Recording): RouteLocationRaw {
  const second = other.profiles.find(({ rank }) => rank !== null && rank === one.first.rank) ?? other.first
  return {
    path: `/runs/${encodeURIComponent(one.first.run)}/profiler`,
    query: { profile: one.first.id, tab: 'compare', with: second.id },
  }
}
