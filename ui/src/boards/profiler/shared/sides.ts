/** Where operators run. */

import type { ProfileSummary } from './api'

/** Where the computing is, when a profile has several sides; communication and the like come after it. */
const COMPUTING: readonly string[] = ['device', 'host', 'AI CPU']

/** The side to look at first. */
export function firstSide({ top_types: types }: ProfileSummary): string {
  return COMPUTING.find((side) => types.some((type) => type.side === side)) ?? types[0]?.side ?? ''
}
