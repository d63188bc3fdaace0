/** How the analysis of a recording stands, in words. */

import type { Waiting } from '@/api/profiles'
import { profilerWords as w } from '@/i18n/profiler'

/** What is being done, where that is known; otherwise the state. The service names its stages in `profiler/results/analysing.py`. */
export const standing = ({ state, message }: Pick<Waiting, 'state' | 'message'>): string =>
  (state === 'analysing' ? w.value.stages[message] : undefined) ?? w.value.states[state] ?? state
