/** Edits that were refused because somebody else was faster. */

import { ApiError } from './client'

export interface Conflict {
  readonly field: string
  readonly yours: unknown
  readonly current: unknown
  /** What an edit has to be based on to take the place of `current`. */
  readonly version: number
}

/** Both versions of what two people have changed; null for every other failure. */
export function conflictOf(error: unknown): Conflict | null {
  if (!(error instanceof ApiError) || error.code !== 'conflict') return null
  const conflicts = error.details['conflicts'] as readonly Conflict[] | undefined
  return conflicts?.[0] ?? null
}
