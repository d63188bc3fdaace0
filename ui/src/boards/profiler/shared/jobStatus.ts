/** How the analysis of a recording stands, in words. */

import type { Waiting } from './api'
import { profilerWords as w } from './words'

/** What is being done, where that is known; otherwise the state. The service names its stages in `profiler/jobs/analysis_work.py`. */
export const jobStatus = ({ state, message }: Pick<Waiting, 'state' | 'message'>): string =>
  (state === 'analysing' ? w.value.stages[message] : undefined) ?? w.value.states[state] ?? state
