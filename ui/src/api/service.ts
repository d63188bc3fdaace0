import { getJson } from './client'

export interface Loading {
  readonly state: 'loading' | 'idle'
  readonly runs_done: number
  readonly runs_total: number
  readonly bytes_done: number
  readonly bytes_total: number
}

export interface Service {
  readonly name: string
  readonly version: string
  readonly summary_base_dir: string
  readonly started_at: number
  readonly store: 'sqlite' | 'postgresql'
  readonly native: boolean
  readonly reload_interval: number
  readonly loading: Loading
  /** The kinds of data that at least one run has, as in the counts of runs. */
  readonly kinds: readonly string[]
}

export interface Changes {
  readonly cursor: number
  readonly runs: readonly string[]
  readonly removed: readonly string[]
  readonly annotations: number
}

export async function fetchService(signal?: AbortSignal): Promise<Service> {
  return (await getJson('service', {}, signal)) as Service
}

export async function fetchChanges(since: number, signal?: AbortSignal): Promise<Changes> {
  return (await getJson('changes', { since }, signal)) as Changes
}
