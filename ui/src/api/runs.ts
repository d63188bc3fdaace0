import { getJson } from './client'

export interface Warning {
  readonly file: string
  readonly offset: number
  readonly kind: string
  readonly message: string
}

export interface Run {
  readonly id: string
  readonly name: string
  readonly dialects: readonly string[]
  readonly created_at: number
  readonly updated_at: number
  readonly bytes: number
  readonly counts: Readonly<Record<string, number>>
  readonly warnings: readonly Warning[]
  readonly warning_count: number
  readonly has_lineage: boolean
  readonly has_profile: boolean
  readonly note: string
  readonly labels: readonly string[]
}

export interface LogFile {
  readonly name: string
  readonly bytes: number
  readonly offset: number
  readonly dialect: string
}

export interface RunWithFiles extends Run {
  readonly files: readonly LogFile[]
}

export interface RunQuery {
  readonly search?: string
  readonly sort?: string
  readonly offset?: number
  readonly limit?: number
}

export interface RunWindow {
  readonly total: number
  readonly runs: readonly Run[]
}

export async function fetchRuns(query: RunQuery, signal?: AbortSignal): Promise<RunWindow> {
  const { search, sort, offset, limit } = query
  return (await getJson('runs', { search: search || undefined, sort, offset, limit }, signal)) as RunWindow
}

/** Ids that fit into the address of one request. */
const IDS_AT_ONCE = 60

/** The runs with these ids; unknown ones are left out. */
export async function fetchRunsById(ids: readonly string[], signal?: AbortSignal): Promise<Run[]> {
  const parts: Promise<unknown>[] = []
  for (let i = 0; i < ids.length; i += IDS_AT_ONCE) parts.push(getJson('runs', { run: ids.slice(i, i + IDS_AT_ONCE) }, signal))
  return (await Promise.all(parts)).flatMap((part) => (part as RunWindow).runs)
}

export async function fetchRun(id: string, signal?: AbortSignal): Promise<RunWithFiles> {
  return (await getJson(`runs/${encodeURIComponent(id)}`, {}, signal)) as RunWithFiles
}

export interface Tag {
  readonly tag: string
  readonly count: number
  readonly first_step: number
  readonly last_step: number
}

/** The tags of a run by kind. */
export async function fetchTags(id: string, signal?: AbortSignal): Promise<Readonly<Record<string, readonly Tag[]>>> {
  return (await getJson(`runs/${encodeURIComponent(id)}/tags`, {}, signal)) as Readonly<Record<string, readonly Tag[]>>
}
