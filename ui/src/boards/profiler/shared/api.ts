/** Recordings of profilers, and what was found out about them. */

import type {
  AdviceItem,
  AnalysisStatus,
  AvailableViews,
  LostRecords,
  ProfileEntry,
  ProfileSummary,
} from '@rest'
import {
  addressOf,
  apiUrl,
  getJson,
  sendJson,
  type Answer,
  type Parameters,
  type PathOf,
  type Place,
} from '@/base/api/client'

export type { ProfileSummary }
export type Profile = ProfileEntry
export type ProfileState = Profile['state']
/** How an analysis stands. */
export type Waiting = AnalysisStatus
/** What a profile has something to say about. */
export type Part = keyof AvailableViews
export type Loss = LostRecords
export type Advice = AdviceItem

export async function fetchProfiles(run: string | null, signal?: AbortSignal): Promise<readonly Profile[]> {
  return (await getJson('profiles', run === null ? {} : { run }, signal)).profiles
}

const PREFIX = 'profiles/{id}/'

/** What the service tells of one profile, by the rest of its path. */
export type View =
  PathOf<'get'> extends infer P ? (P extends `${typeof PREFIX}${infer V}` ? V : never) : never
export type ViewAnswer<V extends View> = Answer<`${typeof PREFIX}${V}`>

/** Where the service tells it. */
export function placeOf<V extends View>(id: string, view: Place<V>): Place<`${typeof PREFIX}${V}`> {
  const [name, ...values]: readonly [V, ...(string | number)[]] = typeof view === 'string' ? [view] : view
  return [`${PREFIX}${name}` as const, id, ...values]
}

const UNDER_WAY: readonly unknown[] = ['new', 'queued', 'analysing'] satisfies readonly ProfileState[]
export const isWaiting = (answer: unknown): answer is Waiting =>
  typeof answer === 'object' && answer !== null && 'state' in answer && UNDER_WAY.includes(answer.state)

export const profileUrl = (id: string, view: View, parameters: Parameters = {}): string =>
  apiUrl(addressOf(placeOf(id, view)), parameters)

/** Start the analysis, once more where it has failed. */
export const analyseProfile = (id: string): Promise<unknown> =>
  sendJson('post', ['profiles/{id}/analyse', id], {})
