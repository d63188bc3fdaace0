/** Recordings of profilers, and what was found out about them. */

import { apiUrl, getJson, sendJson, type Parameters } from './client'

export type ProfileState = 'new' | 'queued' | 'analysing' | 'ready' | 'failed'

/** How an analysis stands. */
export interface Waiting {
  readonly state: ProfileState
  /** 0 to 1. */
  readonly progress: number
  readonly message: string
}

export interface Profile extends Waiting {
  readonly id: string
  readonly run: string
  readonly run_name: string
  /** The same for the ranks of a run that were recorded together. */
  readonly session: string
  readonly rank: number | null
  readonly device: string
  readonly tool: string
  readonly name: string
  readonly bytes: number
  readonly steps: number | null
  readonly started_at: number | null
}

/** What a profile has something to say about. */
export type Part = 'operators' | 'steps' | 'timeline' | 'memory' | 'pipeline' | 'flame' | 'critical_path' | 'idle' | 'cluster' | 'counters'

export interface Loss {
  readonly message: string
  readonly count: number
  readonly file: string
}

export interface Advice {
  readonly rule: string
  readonly severity: string
  readonly numbers: Readonly<Record<string, number | string>>
  /** Where to look, as an address below the profile's page. */
  readonly place?: string
}

/** A profile that is analysed. */
export interface ProfileSummary extends Profile {
  readonly host: string
  readonly ranks: number | null
  readonly facts: Readonly<Record<string, unknown>>
  readonly counts: Readonly<Record<string, number>>
  readonly losses: readonly Loss[]
  readonly totals: { readonly slices: number; readonly tracks: number; readonly operators: number; readonly types: number; readonly executions: number; readonly steps: number; readonly wall: number }
  readonly has: Readonly<Record<Part, boolean>>
  readonly top_types: readonly { readonly type: string; readonly side: string; readonly total: number; readonly self: number; readonly count: number; readonly share: number }[]
  /** Milliseconds of a mean step by its parts. */
  readonly breakdown: Readonly<Record<string, number>>
  /** The mean step: over whole steps, its parts over those of which they are known; empty without steps. */
  readonly step: { readonly steps?: number; readonly measured_steps?: number; readonly duration?: number; readonly interval?: number; readonly forward_backward?: number; readonly tail?: number }
  /** Floating point operations: as the tool counted them, or by the shapes of inputs. */
  readonly flops: { readonly total: number; readonly rate: number | null; readonly utilisation: number | null; readonly peak: string | null; readonly source: string } | null
  readonly advice: readonly Advice[]
}

export async function fetchProfiles(run: string | null, signal?: AbortSignal): Promise<readonly Profile[]> {
  return ((await getJson('profiles', run === null ? {} : { run }, signal)) as { profiles: readonly Profile[] }).profiles
}

/** Where the service tells this part of a profile. */
export const pathOf = (id: string, part: string): string => `profiles/${encodeURIComponent(id)}${part && `/${part}`}`

/** What is asked of a profile, or how its analysis stands, which asking has started. */
export async function askProfile<T>(id: string, part: string, parameters: Parameters = {}, signal?: AbortSignal): Promise<T | Waiting> {
  return (await getJson(pathOf(id, part), parameters, signal)) as T | Waiting
}

const UNDER_WAY: readonly string[] = ['new', 'queued', 'analysing']
export const isWaiting = (answer: unknown): answer is Waiting => UNDER_WAY.includes((answer as Partial<Waiting> | null)?.state ?? '')

export const profileUrl = (id: string, part: string, parameters: Parameters = {}): string => apiUrl(pathOf(id, part), parameters)

/** Start the analysis, once more where it has failed. */
export const analyseProfile = async (id: string): Promise<unknown> => sendJson('POST', pathOf(id, 'analyse'), {})
