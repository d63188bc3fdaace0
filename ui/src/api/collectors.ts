/** Trainings that are connected to the service, and asking them for a recording. */

import { getJson, sendJson } from './client'

export interface ProfileCommand {
  readonly id: string
  readonly steps: number
  readonly state: 'waiting' | 'sent' | 'accepted' | 'refused'
  readonly message: string
  /** Seconds since 1970. */
  readonly asked_at: number
}

export interface ConnectedTraining {
  readonly id: string
  readonly run: string
  readonly run_name: string
  readonly host: string
  readonly pid: number
  readonly rank: number
  readonly ranks: number
  readonly framework: string
  readonly step: number
  /** asked: it records from its next step on. */
  readonly state: 'training' | 'asked' | 'recording'
  readonly dropped: number
  readonly last_seen: number
  readonly can_profile: boolean
  readonly profile: ProfileCommand | null
}

export interface Collectors {
  /** Whether the service takes anything from collectors at all. */
  readonly is_open: boolean
  readonly collectors: readonly ConnectedTraining[]
}

export const fetchCollectors = async (signal?: AbortSignal): Promise<Collectors> => (await getJson('collectors', {}, signal)) as Collectors

/** Have a training record its next steps. */
export const profileNow = async (id: string, steps: number): Promise<ProfileCommand> => (await sendJson('POST', `collectors/${encodeURIComponent(id)}/profile`, { steps })) as ProfileCommand
